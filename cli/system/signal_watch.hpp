#pragma once

#include <csignal>
#include <initializer_list>
#include <optional>

#include "jobenv/record/files/file_descriptor.hpp"

namespace ddp::cli {

/// While it lives, some signals do not end this process but make `descriptor` readable. One within another is
/// fine: a signal goes to the one that is asked first.
class SignalWatch {
 public:
  explicit SignalWatch(std::initializer_list<int> signals = {SIGINT, SIGTERM});
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;
  ~SignalWatch();

  [[nodiscard]] int descriptor() const { return descriptor_.get(); }
  /// The next signal that has come, or nullopt.
  [[nodiscard]] std::optional<int> take();
  /// Whether INT or TERM has come, and one that lives can take it.
  [[nodiscard]] static bool is_pending();

 private:
  static int count_;

  sigset_t before_{};
  FileDescriptor descriptor_;
};

}  // namespace ddp::cli
