#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "cli/system/clock.hpp"

namespace ddp::cli {

/// Says what is copied, while it is.
using PushNote = std::function<void(const std::string& line)>;

/// How far the copies to, or from, several hosts are: every five seconds a line with what is done, the rate
/// and the time that is left, of each host or of the slowest ones. Thread-safe: it
/// calls `note` from one thread at a time.
class CopyProgress {
 public:
  /// `clock` outlives this.
  CopyProgress(Clock& clock, PushNote note) : clock_(clock), note_(std::move(note)) {}
  CopyProgress(const CopyProgress&) = delete;
  CopyProgress& operator=(const CopyProgress&) = delete;

  void say(const std::string& line);
  /// `bytes` more are to be copied.
  void expect(const std::string& host, std::uint64_t bytes);
  /// Copies are to end soon, with an error. From any thread.
  void stop() { is_stopped_ = true; }
  [[nodiscard]] bool is_stopped() const { return is_stopped_; }
  /// They have been. What nobody expects is too small to be told.
  void add(const std::string& host, std::uint64_t bytes);

 private:
  struct Copy {
    std::uint64_t done = 0;
    std::uint64_t all = 0;
    std::chrono::steady_clock::time_point begin;
  };
  [[nodiscard]] std::chrono::milliseconds time_left(const Copy& copy,
                                                    std::chrono::steady_clock::time_point now) const;
  [[nodiscard]] std::string render(std::chrono::steady_clock::time_point now) const;

  Clock& clock_;
  PushNote note_;
  std::atomic<bool> is_stopped_ = false;
  std::mutex lock_;
  std::map<std::string, Copy> copies_;  ///< by host
  std::chrono::steady_clock::time_point next_{};
};

}  // namespace ddp::cli
