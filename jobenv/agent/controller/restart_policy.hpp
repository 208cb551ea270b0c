#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "jobenv/agent/controller/run_verdict.hpp"

namespace ddp::agent {

/// Whether a failed attempt is followed by another one in the same job, for a run that may restart. Counts
/// failures since the last progress: a trainer has made some when there is a newer checkpoint than at the
/// failure before, a command when it has told a step that none of its attempts had told before. Of a command
/// that tells no steps all failures count.
class RestartPolicy {
 public:
  explicit RestartPolicy(const LaunchPlan& plan) : program_(plan.program), max_restarts_(plan.max_restarts) {}

  enum class Next { restart, end };
  struct Decision {
    Next next = Next::end;
    std::string remark = {};  ///< for the end of the run's last word; empty: nothing to add
  };

  /// Takes in one failure. `message`: its words; `checkpoint`: the step of the newest one, if there is one.
  /// No restart follows one that would recur, nor the second one in a row at the same step (of a trainer:
  /// without a newer checkpoint), nor the second one in a row in which a command ended in the same way soon
  /// after its start, without a step: whatever max_restarts says.
  [[nodiscard]] Decision decide(const AttemptOutcome& failure, const std::string& message,
                                std::optional<std::uint64_t> checkpoint);

  /// " after 2 restarts"; empty if there were none.
  [[nodiscard]] std::string render_restarts() const;
  /// "; the attempt before it had failed: …"; empty if there was none. For a stop before the ranks started.
  [[nodiscard]] std::string render_last_failure() const;

 private:
  [[nodiscard]] bool stands_still(std::optional<std::uint64_t> step,
                                  std::optional<std::uint64_t> checkpoint) const;
  [[nodiscard]] std::string render_used_up_restarts() const;
  [[nodiscard]] Decision end_because(const std::string& reason, const std::string& failure) const;

  ProgramKind program_;
  int max_restarts_;
  int failures_ = 0;
  int failures_without_progress_ = 0;
  std::string first_failure_;  ///< its rank and its words
  std::string last_message_;
  std::optional<std::uint64_t> last_step_;        ///< of the failure before
  std::optional<ExitRecord> last_early_exit_;     ///< that the failure before was
  std::optional<std::uint64_t> furthest_step_;    ///< of all failures
  std::optional<std::uint64_t> last_checkpoint_;  ///< at the failure before
};

}  // namespace ddp::agent
