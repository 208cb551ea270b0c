#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

#include "jobenv/agent/controller/run_verdict.hpp"
#include "jobenv/agent/controller/stalled_ranks.hpp"

/// The fields of the ledger's events about an attempt, less its number.
namespace ddp::agent {

/// Of `rank_exited`.
[[nodiscard]] nlohmann::json describe_rank_exit(const ExitRecord& exit);

/// Of `rank_stalled`.
[[nodiscard]] nlohmann::json describe_stalled_rank(const StalledRank& rank);

/// Of `nodes_missing`: an attempt of `nodes` of those of `plan`, without `hosts`.
[[nodiscard]] nlohmann::json describe_missing_nodes(const std::vector<std::string>& hosts, int nodes,
                                                    const LaunchPlan& plan);

/// Of `attempt_ended`.
[[nodiscard]] nlohmann::json describe_attempt_end(const AttemptOutcome& outcome, const LaunchPlan& plan);

/// Of `restarting`. `checkpoint`: the step that the next attempt resumes from.
[[nodiscard]] nlohmann::json describe_restart(const AttemptOutcome& failure, const LaunchPlan& plan,
                                              int next_attempt, std::optional<std::uint64_t> checkpoint);

/// How many of the steps up to `last` come after the one that the next attempt goes on from.
[[nodiscard]] std::uint64_t count_lost_steps(std::optional<std::uint64_t> last, std::uint64_t resumes_after);

}  // namespace ddp::agent
