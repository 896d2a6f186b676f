// Rows of blank-separated numbers with strict counts; every failure names file and line.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "forward/base/error.h"
#include "forward/base/text_file.h"

namespace furrow {

class RowScanner {
 public:
  /// `comment`: starts a comment wherever it stands (0: none). The text must outlive the scanner.
  RowScanner(std::string_view text, std::string where, char comment = 0)
      : lines_(text), size_(text.size()), where_(std::move(where)), comment_(comment) {}

  /// Moves to the next row that is not blank; false at the end of the text.
  bool next_row() {
    while (lines_.next()) {
      rest_ = lines_.line();
      if (comment_ != 0) rest_ = rest_.substr(0, rest_.find(comment_));
      rest_ = trimmed(rest_);
      if (!rest_.empty()) return true;
    }
    rest_ = {};
    return false;
  }
  /// The same, where the text may not end yet. `what` names what is still missing.
  void need_row(std::string_view what) {
    if (!next_row()) fail(fmt::format("the file ends before {}; it is truncated, write it again", what));
  }

  bool row_is_empty() const { return trimmed(rest_).empty(); }
  std::string_view rest() const { return rest_; }
  std::string_view word(std::string_view what) {
    const std::string_view token = next_token(rest_);
    if (token.empty()) fail(fmt::format("{} is missing; the line is incomplete", what));
    return token;
  }
  double number(std::string_view what) {
    const std::string_view token = word(what);
    const auto value = to_number(token);
    if (!value)
      fail(fmt::format("{} is no finite number for {}; write the mesh again", in_quotes(token), what));
    return *value;
  }
  long long integer(std::string_view what) {
    const std::string_view token = word(what);
    const auto value = to_integer(token);
    if (!value)
      fail(fmt::format("{} is no whole number for {}; write the mesh again", in_quotes(token), what));
    return *value;
  }
  /// A whole number that fits an int.
  int small_integer(std::string_view what) {
    const long long value = integer(what);
    if (value < -2147483647 || value > 2147483647) fail(fmt::format("{} is too large for {}", value, what));
    return static_cast<int>(value);
  }
  /// How many rows or items follow: never more than the text has bytes, so that a broken count cannot ask for
  /// memory.
  int count(std::string_view what) {
    const long long value = integer(what);
    if (value < 0 || value > static_cast<long long>(size_) || value > 2000000000)
      fail(fmt::format("{} cannot be {} in a file of {} bytes; it is truncated or broken", what, value,
                       size_));
    return static_cast<int>(value);
  }
  void end_row() {
    if (!row_is_empty())
      fail(fmt::format("{} is one column too many; write the mesh again", in_quotes(next_token(rest_))));
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(at_line(where_, lines_.number()), what);
  }

 private:
  LineReader lines_;
  std::size_t size_;
  std::string where_;
  char comment_;
  std::string_view rest_;
};

}  // namespace furrow
