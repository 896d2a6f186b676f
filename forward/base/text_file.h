// Text files as people and programs write them: whole file in memory, lines with numbers, tokens, strict
// numbers.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace furrow {

/// All bytes of a regular file. Throws InputError: missing, a folder, not readable.
std::string read_bytes(const std::filesystem::path& file);

/// Writes through a temporary file in the same folder and a rename, so that nothing half-written stays
/// behind. Throws InputError when the folder is missing or not writable, or the disk is full.
void write_text_atomically(const std::filesystem::path& file, const std::string& text);

/// Lines of a text that outlives the reader, without their ends (LF or CRLF) and without a byte order mark.
class LineReader {
 public:
  explicit LineReader(std::string_view text);
  bool next();                                     ///< false at the end of the text
  std::string_view line() const { return line_; }  ///< the current line
  int number() const { return number_; }           ///< of the current line, from 1

 private:
  std::string_view rest_;
  std::string_view line_;
  int number_ = 0;
};

std::string_view trimmed(std::string_view text);  ///< without blanks at both ends
std::string_view next_token(
    std::string_view& rest);  ///< cuts the next blank-separated token off; empty at the end
std::optional<double> to_number(std::string_view text);  ///< the whole text as a finite number
std::optional<long long> to_integer(std::string_view text);
/// The text in quotes for a message: control characters replaced, shortened when long.
std::string in_quotes(std::string_view text);
/// "skin.obj:12", the `where` of an InputError.
std::string at_line(const std::filesystem::path& file, int line);

}  // namespace furrow
