// Runs the program as a shell would.
#pragma once

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

namespace furrow::testing {

struct Ran {
  int status = -1;
  std::string output;  ///< standard output and standard error together
};

inline Ran run_program(const std::string& command) {
  Ran ran;
  FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (!pipe) return ran;
  std::array<char, 4096> buffer;
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe))
    ran.output.append(buffer.data(), n);
  const int status = ::pclose(pipe);
  ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ran;
}

inline Ran run_furrow(const std::string& arguments) {
  return run_program(std::string("\"") + FURROW_EXECUTABLE + "\" " + arguments);
}

}  // namespace furrow::testing
