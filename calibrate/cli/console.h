// How commands talk: results and progress on standard output, warnings and errors on standard error,
// everything in the log file.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

namespace spdlog {
class logger;
}

namespace furrow::cli {

class Console {
 public:
  /// `log` may be empty. Throws InputError when it cannot be written.
  Console(bool quiet, const std::filesystem::path& log);
  ~Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  template <class... Values>
  void say(fmt::format_string<Values...> text, Values&&... values) {
    print(fmt::format(text, std::forward<Values>(values)...));
  }
  void print(const std::string& line);
  void warn(const std::string& line);   ///< "warning: ..."
  void error(const std::string& line);  ///< "error: ..."
  /// The machine-readable last line: printed also with `--quiet`.
  void print_last(const std::string& line);

  /// What is done so far, from 0 to 1. A bar with the time left on a terminal, rewritten in place; in a pipe
  /// a plain line, at every `note` that differs from the one before and at least two seconds after the last
  /// line.
  void progress(double fraction, const std::string& note);
  /// Ends a bar; the next progress starts the clock anew.
  void end_progress();

 private:
  void clear_bar();

  std::shared_ptr<spdlog::logger> out_;
  std::shared_ptr<spdlog::logger> err_;
  bool quiet_;
  bool terminal_;
  bool bar_shown_ = false;
  std::string last_note_;
  std::chrono::steady_clock::time_point start_{}, last_line_{};
  bool running_ = false;
};

/// "1 h 05 min", "3 min 20 s", "12 s".
std::string format_duration(double seconds);
/// The bar itself, e.g. "[#########-----------]  45 %  3 min 20 s left  stage all" (time left negative: not
/// known yet).
std::string format_bar(double fraction, double seconds_left, const std::string& note, int columns);

}  // namespace furrow::cli
