#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>

#include "ddp/jobenv/phase.hpp"
#include "jobenv/agent/protocol/process_state.hpp"
#include "jobenv/record/plan/launch_plan.hpp"

namespace ddp::agent {

/// The part of a page that moves as long as its rank advances.
struct PageReading {
  PhaseName phase;
  std::optional<std::uint64_t> step;  ///< the last finished one
  std::uint64_t parts = 0;            ///< done of the phase
  bool operator==(const PageReading&) const = default;
};

/// How long a rank may be silent in a phase, at least. That of `start` holds until the first step, or batch
/// of an evaluation, is done, and for the phases of a program's own: nothing is known of them.
struct HangFloors {
  std::chrono::milliseconds start{std::chrono::minutes(10)};
  std::chrono::milliseconds step{std::chrono::minutes(1)};
  std::chrono::milliseconds checkpoint{std::chrono::minutes(5)};
  std::chrono::milliseconds evaluate{std::chrono::minutes(1)};
  /// Behind this, its peers give up on a rank that hangs in a step: patience that was learned ends before,
  /// unless a step has taken half as long.
  std::chrono::milliseconds collective{std::chrono::hours(24)};
};
/// Those of a plan that has a hang_timeout.
[[nodiscard]] HangFloors hang_floors(const LaunchPlan& plan);

/// That a rank has shown nothing new.
struct Silence {
  PhaseName phase;
  std::optional<std::uint64_t> step;     ///< the last finished one
  std::chrono::milliseconds length{0};   ///< so far
  std::chrono::milliseconds longest{0};  ///< that any rank needed for a part of this phase before; 0: unknown
};

/// Tells from looks at the pages of an agent's ranks, one about every interval(), which of them hang. Learns
/// for all attempts how long the parts of each phase take: a rank hangs when it is silent for ten times that,
/// and for the phase's floor. Has no clock of its own.
class HangWatch {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit HangWatch(const HangFloors& floors) : floors_(floors) {}

  [[nodiscard]] std::chrono::milliseconds interval() const;

  void add(int rank, Time now);
  void remove(int rank) { ranks_.erase(rank); }
  /// What was learned of the phases stays.
  void remove_all() { ranks_.clear(); }

  /// Begins a look; observe() follows for each rank. One that comes much later than planned finds that this
  /// process did not run, as in a job that is suspended, and its ranks may not have run either: their clocks
  /// start anew.
  void begin_look(Time now);
  /// Of what a rank does while it waits for others nothing is learned: that is the time of theirs.
  void observe(int rank, const PageReading& page, bool waits_for_peers = false);

  /// Whether it is silent for so long that the state of its process matters. Of a rank that was added.
  [[nodiscard]] bool is_suspect(int rank) const;
  /// A process that is stopped has the time of a step in every phase.
  [[nodiscard]] bool hangs(int rank, ProcessState process) const;
  [[nodiscard]] Silence silence(int rank) const;

 private:
  struct Rank {
    PageReading page;
    Time changed;             ///< when the page was first seen as it is
    bool has_waited = false;  ///< for peers, at a look since then
    bool has_begun = false;   ///< it has done a part of another phase than the start
  };

  void learn(const Rank& rank, const PageReading& now);
  [[nodiscard]] std::chrono::milliseconds longest(const PhaseName& phase) const;
  [[nodiscard]] std::chrono::milliseconds floor_of(const PhaseName& phase) const;
  [[nodiscard]] std::chrono::milliseconds timeout(const PhaseName& phase) const;
  [[nodiscard]] std::chrono::milliseconds timeout_of(const Rank& rank) const;
  [[nodiscard]] std::chrono::milliseconds timeout_if_stopped(const Rank& rank) const;
  [[nodiscard]] std::chrono::milliseconds silent_for(const Rank& rank) const;

  HangFloors floors_;
  std::map<PhaseName, std::chrono::milliseconds> longest_;
  std::map<int, Rank> ranks_;
  std::optional<Time> before_;  ///< the look before this one
  std::optional<Time> now_;     ///< this one
};

}  // namespace ddp::agent
