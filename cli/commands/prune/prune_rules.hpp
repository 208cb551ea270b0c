#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/commands/watch/run_filter.hpp"

namespace ddp::cli {

/// What is deleted of a run that fits.
enum class PruneTarget { run_folders, spare_checkpoints, none };

/// Which runs are deleted: those that fit all of it.
struct PruneRules {
  PruneTarget target = PruneTarget::none;
  std::optional<std::chrono::seconds> older_than = {};  ///< since the end of the run
  std::optional<std::int64_t> keep = {};                ///< the newest of each name stay
  std::optional<std::uint64_t> larger_than = {};        ///< bytes on disk
  RunFilter filter = {};
  std::set<std::string> named = {};  ///< run ids, besides which no run fits; empty: any
  bool forgets_gone = false;         ///< pointers of runs without a folder
};

/// The options of `prune` that choose runs.
[[nodiscard]] std::vector<Option> prune_options();

/// The runs that may be deleted.
inline constexpr Operand kPrunedRuns{
    "RUN",
    "run id or unique prefix of it that is longer than the run's name and dash, run name (its newest run), "
    "Slurm job id, or last; without it, all runs",
    Arity::any, WordKind::run};

/// Without the ids of the runs that are named. A usage error if no rule is given, or if a value cannot be
/// used.
[[nodiscard]] Expected<PruneRules> parse_prune_rules(const Arguments& arguments);

}  // namespace ddp::cli
