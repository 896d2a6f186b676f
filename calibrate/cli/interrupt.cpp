#include "calibrate/cli/interrupt.h"

#include <csignal>

namespace furrow::cli {
namespace {

std::atomic<bool> interrupted_{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

void on_signal(int signal) {
  interrupted_ = true;
  std::signal(signal, SIG_DFL);
}

}  // namespace

void watch_for_interrupt() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
#ifdef SIGXFSZ
  std::signal(SIGXFSZ,
              SIG_IGN);  // a file above the limit is a failed write, which is reported and cleaned up
#endif
}

const std::atomic<bool>& interrupted() {
  return interrupted_;
}

}  // namespace furrow::cli
