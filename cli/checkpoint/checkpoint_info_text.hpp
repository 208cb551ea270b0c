#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "cli/checkpoint/checkpoint_info.hpp"

namespace ddp::cli {

/// How many tensors are listed: some of the model, or all of all parts.
enum class ListedTensors { some, all };

/// The facts of a checkpoint, one a line, and a table of its tensors. `columns`: of the terminal; nullopt:
/// there is none.
[[nodiscard]] std::string render_checkpoint_info(const CheckpointInfo& info, ListedTensors listed,
                                                 std::optional<std::size_t> columns);

/// "layers 2, heads 4" of the settings that tell trainings apart; empty: the checkpoint has none.
[[nodiscard]] std::string render_short_settings(const std::vector<std::string>& settings);

}  // namespace ddp::cli
