#pragma once

#include <chrono>

#include "jobenv/agent/process/event_loop.hpp"
#include "tests/unit/jobenv/agent/eventually.hpp"

namespace ddp::agent {

/// Runs `loop` until `holds` is true; false after a time that only a broken program needs.
template <class Predicate>
bool run_loop_until(EventLoop& loop, Predicate holds) {
  return eventually([&] {
    loop.after(std::chrono::milliseconds(1), [&loop] { loop.quit(); });
    loop.run();
    return holds();
  });
}

}  // namespace ddp::agent
