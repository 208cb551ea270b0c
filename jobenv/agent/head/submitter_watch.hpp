#pragma once

#include <functional>
#include <string>
#include <utility>

#include "jobenv/agent/process/event_loop.hpp"

namespace ddp::agent {

/// Notices the end of the submitter that a run is attached to: it holds the other end of a descriptor.
/// Single-threaded, on head's loop.
class SubmitterWatch {
 public:
  /// `loop` must outlive it; `descriptor` stays the caller's. `on_gone` is called once, from the loop.
  SubmitterWatch(EventLoop& loop, int descriptor, std::function<void()> on_gone)
      : loop_(loop), descriptor_(descriptor), on_gone_(std::move(on_gone)) {}
  SubmitterWatch(const SubmitterWatch&) = delete;
  SubmitterWatch& operator=(const SubmitterWatch&) = delete;

  /// The error says that the descriptor cannot be watched: then its end is never noticed.
  [[nodiscard]] Expected<void> begin();
  /// Tells it what could not be written to the run folder: as a text, when the descriptor is a socket.
  void tell(const std::string& words) const;

 private:
  void on_readable();

  EventLoop& loop_;
  int descriptor_;
  std::function<void()> on_gone_;
  EventLoop::WatchId watch_ = 0;
};

}  // namespace ddp::agent
