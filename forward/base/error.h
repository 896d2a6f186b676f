// Two of our four failures (docs/theory.md): a broken precondition throws std::logic_error through `require`;
// bad input throws InputError, which the command line prints as one message with exit status 2.
#pragma once

#include <stdexcept>
#include <string>

namespace furrow {

/// Bad input. `where`: file, and line, key path or index in it; `what`: what is wrong and what to do about
/// it.
class InputError : public std::runtime_error {
 public:
  InputError(const std::string& where, const std::string& what) : std::runtime_error(where + ": " + what) {}
};

/// A broken precondition is a bug of the caller: throws std::logic_error, in release too.
inline void require(bool condition, const char* message) {
  if (!condition) throw std::logic_error(message);
}

}  // namespace furrow
