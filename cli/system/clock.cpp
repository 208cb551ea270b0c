#include "cli/system/clock.hpp"

#include <thread>

namespace ddp::cli {

std::chrono::system_clock::time_point RealClock::now() const {
  return std::chrono::system_clock::now();
}

std::chrono::steady_clock::time_point RealClock::steady() const {
  return std::chrono::steady_clock::now();
}

void RealClock::sleep(std::chrono::milliseconds duration) {
  std::this_thread::sleep_for(duration);
}

}  // namespace ddp::cli
