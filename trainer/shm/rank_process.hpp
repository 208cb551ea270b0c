#pragma once

#include <cstdint>

#include "jobenv/record/files/file_descriptor.hpp"

namespace ddp::trainer {

/// A process of this host that another one watches, which need not be its parent.
class RankProcess {
 public:
  /// By its number in /proc.
  explicit RankProcess(std::int64_t number);

  [[nodiscard]] std::int64_t number() const { return number_; }

  /// Whether it has ended, if only as a zombie. False, too, where this process can not look, as without a
  /// descriptor left.
  [[nodiscard]] bool has_ended() const;

 private:
  std::int64_t number_;
  FileDescriptor folder_;  ///< in /proc, which is of no later process of that number
  bool was_gone_ = false;
};

/// The number of this process in /proc, which in a namespace of processes may be another one than getpid().
/// Throws std::system_error without /proc.
[[nodiscard]] std::int64_t own_process_number();

}  // namespace ddp::trainer
