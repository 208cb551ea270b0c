#pragma once

#include <chrono>
#include <thread>

namespace ddp::agent {

/// Polls `holds` until it is true; false after a time that only a broken program needs.
template <class Predicate>
bool eventually(Predicate holds) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace ddp::agent
