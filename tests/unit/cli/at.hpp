#pragma once

#include <chrono>

namespace ddp::cli {

/// A moment, in whole seconds since the epoch.
inline std::chrono::system_clock::time_point at(int second) {
  return std::chrono::system_clock::time_point{std::chrono::seconds(second)};
}

}  // namespace ddp::cli
