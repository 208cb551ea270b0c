#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands/prune/prune_rules.hpp"
#include "cli/commands/prune/run_uses.hpp"

namespace ddp::cli {

/// What is deleted of a run.
enum class PruneKind {
  run,          ///< its folder and its pointer
  checkpoints,  ///< those that it does not need
  unfinished,   ///< what an interrupted removal has left
  pointer,      ///< its pointer; it has no folder
};
[[nodiscard]] std::string_view name_of(PruneKind kind);

struct PruneItem {
  PruneKind kind = PruneKind::run;
  RunPointer pointer;
  RunStatus status = {};
  std::uint64_t bytes = 0;
  std::vector<std::filesystem::path> checkpoints = {};
  std::vector<std::string> hosts = {};  ///< that have a folder of the run, which goes, too
  std::string host_folder = {};         ///< where they have it: ssh.push_folder
  std::vector<std::string> left = {};   ///< why hosts still have theirs: they do not answer; a line each
};

/// A run that fits the rules or was named, and stays.
struct KeptRun {
  std::string run_id;
  std::string reason;
};

struct PrunePlan {
  std::vector<PruneItem> items;  ///< newest first, so that a run goes before the one that it begins with
  std::vector<KeptRun> kept;
  std::vector<RunUses> uses;  ///< of all runs that have a folder, if any item is a run
  std::size_t gone = 0;       ///< runs without a folder that stay in the list
};

/// Chooses what is deleted; deletes nothing. Asks the launchers once for the state of all runs that fit.
[[nodiscard]] Expected<PrunePlan> plan_prune(const PruneRules& rules, Context& context);

/// Why the run cannot be deleted while the other runs stay; `is_deleted` tells which do not. nullopt: nobody
/// needs it.
template <class IsDeleted>
std::optional<std::string> reason_to_keep(const RunPointer& run, const std::vector<RunUses>& uses,
                                          IsDeleted is_deleted) {
  for (const auto& other : uses) {
    if (is_deleted(other.run_id()) || other.run_id() == run.run_id) continue;
    if (!other.unreadable().empty())
      return "run " + other.run_id() + " may need files of it: '" + other.unreadable().string() +
             "' cannot be read; repair that file, or delete that run first";
    if (const auto key = other.key_that_needs(run))
      return "run " + other.run_id() + " needs files of it (" + *key + ")";
  }
  return std::nullopt;
}

}  // namespace ddp::cli
