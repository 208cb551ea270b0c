#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "ddp/jobenv/error.hpp"

namespace ddp {

/// The name of the folder of a checkpoint of the trainer. Ordered from old to new: a later attempt goes on
/// from where an earlier one left off, maybe from one of its older checkpoints, so the attempt counts before
/// the step.
struct CheckpointName {
  /// removed: about to be deleted; incomplete: still being written, or left behind so; replaced: moved aside
  /// for another of the same step and attempt.
  enum class Kind { removed, incomplete, replaced, committed };

  int attempt = 0;
  std::uint64_t step = 0;
  Kind kind = Kind::committed;

  bool operator==(const CheckpointName&) const = default;
  bool operator<(const CheckpointName& newer) const {
    return std::tie(attempt, step, kind) < std::tie(newer.attempt, newer.step, newer.kind);
  }
};

/// `step-NNNNNNNN-aN`, with `.incomplete`, `.replaced` or `.removed` behind it.
[[nodiscard]] std::string render_checkpoint_name(const CheckpointName& name);

/// nullopt for a name that render_checkpoint_name does not make.
[[nodiscard]] std::optional<CheckpointName> parse_checkpoint_name(const std::string& text);

/// Those that have a name in `folder`, of every kind, the newest first; none when it is not there.
[[nodiscard]] Expected<std::vector<CheckpointName>> list_checkpoints(const std::filesystem::path& folder);

}  // namespace ddp
