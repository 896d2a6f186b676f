// Bad input is only well refused when the message says where and what.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <initializer_list>
#include <string>

#include "forward/base/error.h"

namespace furrow::testing {

/// Runs `action`, which must throw Error with a message that holds every one of `parts`.
template <typename Error = InputError>
void expect_error(const std::function<void()>& action, std::initializer_list<const char*> parts) {
  try {
    action();
    ADD_FAILURE() << "nothing was thrown; expected a message with \"" << *parts.begin() << '"';
  } catch (const Error& error) {
    const std::string message = error.what();
    for (const char* part : parts) {
      EXPECT_NE(message.find(part), std::string::npos) << "message: " << message << "\nlacks: " << part;
    }
  }
}

}  // namespace furrow::testing
