#pragma once

#include <cstdint>
#include <optional>

#include "jobenv/agent/controller/run_verdict.hpp"
#include "jobenv/agent/controller/stalled_ranks.hpp"
#include "jobenv/record/events/events.hpp"

/// The ledger's events about an attempt, less its number.
namespace ddp::agent {

[[nodiscard]] event::RankExited describe_rank_exit(const ExitRecord& exit);

[[nodiscard]] event::RankStalled describe_stalled_rank(const StalledRank& rank);

/// An attempt of `nodes` of those of `plan`, without `hosts`.
[[nodiscard]] event::NodesMissing describe_missing_nodes(const std::vector<std::string>& hosts, int nodes,
                                                         const LaunchPlan& plan);

[[nodiscard]] event::AttemptEnded describe_attempt_end(const AttemptOutcome& outcome, const LaunchPlan& plan);

/// `checkpoint`: the step that the next attempt resumes from.
[[nodiscard]] event::Restarting describe_restart(const AttemptOutcome& failure, const LaunchPlan& plan,
                                                 int next_attempt, std::optional<std::uint64_t> checkpoint);

/// How many of the steps up to `last` come after the one that the next attempt goes on from.
[[nodiscard]] std::uint64_t count_lost_steps(std::optional<std::uint64_t> last, std::uint64_t resumes_after);

/// That ranks of a command have reported no step for Waits::idle, and what that means for a requeue.
[[nodiscard]] std::string describe_missing_steps(const LaunchPlan& plan);

}  // namespace ddp::agent
