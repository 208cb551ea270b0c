#pragma once

#include <optional>
#include <string>

#include "jobenv/agent/controller/run_end.hpp"
#include "jobenv/agent/protocol/messages.hpp"
#include "jobenv/record/exit_record.hpp"
#include "jobenv/record/plan/launch_plan.hpp"

namespace ddp::agent {

/// How a rank's end looks to a run that nobody has asked to stop.
enum class RankVerdict {
  success,
  failure,
  peer_lost,   ///< it says that another one is gone
  terminated,  ///< by a signal that announces the end of a job: a failure, unless word of a stop follows
  killed,      ///< by its agent, because of something else
};
[[nodiscard]] RankVerdict judge_rank(const ExitRecord& record, const std::string& what,
                                     const LaunchPlan& plan);

/// The failure of this rank, should it be the first: "was killed by signal 9 (KILL)", "ended with exit code
/// 3", or what the message says.
[[nodiscard]] Failure make_failure(const RankExited& message, const LaunchPlan& plan);

/// Orders failures by their arrival and names the cause. One that only says that a peer is gone counts when
/// there is no other.
class FirstFailure {
 public:
  enum class Weight { peer_lost, real };
  void add(Weight weight, Failure cause);
  void clear() { *this = {}; }

  [[nodiscard]] bool empty() const { return !real_ && !peer_lost_; }
  /// Whether the cause is known: no later failure changes it.
  [[nodiscard]] bool has_real() const { return real_.has_value(); }
  /// Only when not empty.
  [[nodiscard]] const Failure& cause() const;

 private:
  // The first of each weight.
  std::optional<Failure> real_;
  std::optional<Failure> peer_lost_;
};

/// "rank 2 on node1 was killed by signal 9 (KILL) in step 121"
[[nodiscard]] std::string render_cause(const Failure& cause, ProgramKind program);

/// What has become of the ranks besides the one to blame.
struct OtherRanks {
  int count = 0;
  int failed = 0;   ///< by themselves, after the first failure
  int stopped = 0;  ///< by their agents
};

/// "; 1 more rank failed; 2 of the other 3 ranks were stopped", or "; 1 rank failed" where the cause is none.
/// Empty: there is nothing to tell.
[[nodiscard]] std::string render_others(const Failure& cause, const OtherRanks& others);

}  // namespace ddp::agent
