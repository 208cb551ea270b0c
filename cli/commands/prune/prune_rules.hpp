#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
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
  bool forgets_gone = false;  ///< pointers of runs without a folder
};

/// The options of `prune` that choose runs.
[[nodiscard]] std::vector<Option> prune_options();

/// A usage error if no rule is given, or if a value cannot be used.
[[nodiscard]] Expected<PruneRules> parse_prune_rules(const Arguments& arguments);

}  // namespace ddp::cli
