#include "calibrate/cli/console.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "forward/base/error.h"

namespace furrow::cli {
namespace {

std::shared_ptr<spdlog::logger> make_logger(const std::string& name, spdlog::sink_ptr screen,
                                            spdlog::sink_ptr file, spdlog::level::level_enum screen_level) {
  screen->set_pattern("%v");
  screen->set_level(screen_level);
  auto logger = std::make_shared<spdlog::logger>(name, screen);
  if (file) logger->sinks().push_back(file);
  logger->flush_on(spdlog::level::trace);
  return logger;
}

int terminal_columns() {
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

Console::Console(bool quiet, const std::filesystem::path& log)
    : quiet_(quiet), terminal_(::isatty(STDOUT_FILENO) != 0) {
  spdlog::sink_ptr file;
  if (!log.empty()) {
    try {
      file = std::make_shared<spdlog::sinks::basic_file_sink_mt>(log.string(), false);
    } catch (const spdlog::spdlog_ex&) {
      throw InputError("--log " + log.string(), "cannot be written; name a file in a folder that exists");
    }
    file->set_pattern("%Y-%m-%d %H:%M:%S.%e %l: %v");
  }
  out_ = make_logger("out", std::make_shared<spdlog::sinks::stdout_sink_mt>(), file,
                     quiet ? spdlog::level::off : spdlog::level::info);
  err_ = make_logger("err", std::make_shared<spdlog::sinks::stderr_sink_mt>(), file, spdlog::level::warn);
}

Console::~Console() {
  clear_bar();
}

void Console::print(const std::string& line) {
  clear_bar();
  out_->info(line);
}

void Console::warn(const std::string& line) {
  clear_bar();
  err_->warn("warning: " + line);
}

void Console::error(const std::string& line) {
  clear_bar();
  err_->error("error: " + line);
}

void Console::print_last(const std::string& line) {
  clear_bar();
  out_->flush();
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

void Console::progress(double fraction, const std::string& note) {
  const auto now = std::chrono::steady_clock::now();
  if (!running_) start_ = now, running_ = true, last_note_.clear();
  if (quiet_) return;
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const double left = fraction > 0.01 ? elapsed * (1 - fraction) / fraction : -1;
  if (terminal_) {
    fmt::print("\r{}\x1b[K", format_bar(fraction, left, note, terminal_columns()));
    std::fflush(stdout);
    bar_shown_ = true;
  } else if (note != last_note_ &&
             (last_note_.empty() || std::chrono::duration<double>(now - last_line_).count() > 2)) {
    out_->info("{:3.0f} %  {}{}", 100 * std::clamp(fraction, 0.0, 1.0), note,
               left < 0 ? "" : ", " + format_duration(left) + " left");
    last_note_ = note;
    last_line_ = now;
  }
}

void Console::end_progress() {
  clear_bar();
  running_ = false;
}

void Console::clear_bar() {
  if (!bar_shown_) return;
  fmt::print("\r\x1b[K");
  std::fflush(stdout);
  bar_shown_ = false;
}

std::string format_duration(double seconds) {
  const long total = std::lround(std::max(0.0, seconds));
  if (total >= 3600) return fmt::format("{} h {:02} min", total / 3600, total / 60 % 60);
  if (total >= 60) return fmt::format("{} min {:02} s", total / 60, total % 60);
  return fmt::format("{} s", total);
}

std::string format_bar(double fraction, double seconds_left, const std::string& note, int columns) {
  constexpr int kWidth = 20;
  const double f = std::clamp(fraction, 0.0, 1.0);
  const int filled = static_cast<int>(std::lround(f * kWidth));
  std::string bar =
      fmt::format("[{}{}] {:3.0f} %", std::string(filled, '#'), std::string(kWidth - filled, '-'), 100 * f);
  if (seconds_left >= 0) bar += "  " + format_duration(seconds_left) + " left";
  bar += "  " + note;
  return bar.substr(0, std::max(columns - 1, 1));
}

}  // namespace furrow::cli
