#include "forward/base/text_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <system_error>

#include "forward/base/error.h"

namespace furrow {

namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

std::string_view without_plus(std::string_view text) {
  const bool plus = text.size() > 1 && text[0] == '+' && text[1] != '-' && text[1] != '+';
  return plus ? text.substr(1) : text;
}

/// Removes a file when it goes out of scope, unless released.
struct FileGuard {
  std::filesystem::path file;
  bool armed = true;
  ~FileGuard() {
    std::error_code ignored;
    if (armed) std::filesystem::remove(file, ignored);
  }
};

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

std::string read_bytes(const std::filesystem::path& file) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status))
    throw InputError(file.string(), "there is no such file; check the path");
  if (std::filesystem::is_directory(status))
    throw InputError(file.string(), "is a folder; name a file in it");
  if (!std::filesystem::is_regular_file(status)) throw InputError(file.string(), "is not a regular file");
  const auto size = std::filesystem::file_size(file, error);
  std::ifstream stream(file, std::ios::binary);
  if (error || !stream) throw InputError(file.string(), "cannot be read; check its permissions");
  std::string bytes(size, '\0');
  stream.read(bytes.data(), static_cast<std::streamsize>(size));
  bytes.resize(static_cast<std::size_t>(stream.gcount()));
  if (bytes.size() != size) throw InputError(file.string(), "could not be read to its end");
  return bytes;
}

void write_text_atomically(const std::filesystem::path& file, const std::string& text) {
  static std::atomic<int> count{0};
  const auto refuse = [&](int reason) {
    throw InputError(file.string(), std::string("cannot be written (") + std::strerror(reason) +
                                        "); check that its folder exists, is writable and has space");
  };
  std::filesystem::path temporary = file;
  std::string name = ".";
  name.append(file.filename().string()).append(".part-").append(std::to_string(::getpid()));
  temporary.replace_filename(name.append("-").append(std::to_string(count++)));
  const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0) refuse(errno);
  FileGuard guard{temporary};
  const int write_error = write_all(descriptor, text) ? 0 : errno;
  const int close_error = ::close(descriptor) == 0 ? 0 : errno;
  if (write_error) refuse(write_error);
  if (close_error) refuse(close_error);
  if (std::rename(temporary.c_str(), file.c_str()) != 0) refuse(errno);
  guard.armed = false;
}

LineReader::LineReader(std::string_view text) : rest_(text) {
  if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
}

bool LineReader::next() {
  if (rest_.empty()) return false;
  const void* end = std::memchr(rest_.data(), '\n', rest_.size());
  const std::size_t length =
      end ? static_cast<std::size_t>(static_cast<const char*>(end) - rest_.data()) : rest_.size();
  line_ = rest_.substr(0, length);
  rest_.remove_prefix(end ? length + 1 : length);
  if (line_.ends_with('\r')) line_.remove_suffix(1);
  ++number_;
  return true;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view next_token(std::string_view& rest) {
  std::size_t begin = 0;
  while (begin < rest.size() && is_blank(rest[begin])) ++begin;
  std::size_t end = begin;
  while (end < rest.size() && !is_blank(rest[end])) ++end;
  const std::string_view token = rest.substr(begin, end - begin);
  rest.remove_prefix(end);
  return token;
}

std::optional<double> to_number(std::string_view text) {
  text = without_plus(text);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<long long> to_integer(std::string_view text) {
  text = without_plus(text);
  long long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::string shown = "\"";
  for (const char c : text.substr(0, longest))
    shown += static_cast<unsigned char>(c) < 32 || c == 127 ? '?' : c;
  if (text.size() > longest) shown += "...";
  return shown + "\"";
}

std::string at_line(const std::filesystem::path& file, int line) {
  return file.string() + ":" + std::to_string(line);
}

}  // namespace furrow
