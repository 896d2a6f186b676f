// Ctrl-C: the first asks a command to stop after what it is doing, the second ends the program at once.
#pragma once

#include <atomic>

namespace furrow::cli {

/// Takes SIGINT and SIGTERM over.
void watch_for_interrupt();
/// Set by the first signal; fits and simulations look at it between steps.
const std::atomic<bool>& interrupted();

}  // namespace furrow::cli
