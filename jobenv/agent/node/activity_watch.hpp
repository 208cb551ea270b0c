#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>

namespace ddp::agent {

/// What a rank and its children have done since their start.
struct Activity {
  std::chrono::milliseconds cpu{0};
  std::uint64_t printed = 0;  ///< bytes
  double gpu_percent = 0;     ///< how busy its GPU is now
};

/// Tells from looks at the ranks of an agent how long each has done nothing: used less than a hundredth of
/// one CPU, moved less than a KiB a second, printed nothing, and its GPU has idled. Has no clock of its own.
class ActivityWatch {
 public:
  using Time = std::chrono::steady_clock::time_point;
  /// Bytes that it has read, written, sent and received, which are costly to count: asked only of a rank that
  /// seems idle.
  using CountBytes = std::function<std::uint64_t()>;

  explicit ActivityWatch(std::chrono::milliseconds interval) : interval_(interval) {}

  /// If it is observed again, it begins anew.
  void remove(int rank) { ranks_.erase(rank); }
  void remove_all() { ranks_.clear(); }

  /// Begins a look. One that comes much later than planned finds that this process did not run, as in a job
  /// that is suspended: all ranks begin anew.
  void begin_look(Time now);
  void observe(int rank, const Activity& activity, const CountBytes& count_bytes);
  /// What it has done since the last look was not its own work: an idle rank stays so.
  void rebase(int rank, const Activity& activity, const CountBytes& count_bytes);
  [[nodiscard]] std::chrono::milliseconds idle_for(int rank) const;

 private:
  struct Rank {
    Activity activity;  ///< when it was last seen at work
    std::optional<std::uint64_t> bytes;
    Time since;
  };

  [[nodiscard]] bool has_worked(const Rank& rank, const Activity& now) const;
  [[nodiscard]] bool exceeds(std::uint64_t bytes, std::uint64_t before, Time since) const;

  std::chrono::milliseconds interval_;
  std::map<int, Rank> ranks_;
  std::optional<Time> now_;
};

}  // namespace ddp::agent
