#pragma once

#include <filesystem>

#include "ddp/jobenv/error.hpp"
#include "trainer/checkpoint/format/checkpoint_state.hpp"
#include "trainer/checkpoint/format/manifest.hpp"

namespace ddp::cli {

/// manifest.json and state.json of the checkpoint in `folder`. The error has ExitCode::no_valid_checkpoint.
/// Its message lacks the name of the file, which the caller puts in front: "is missing".
[[nodiscard]] Expected<trainer::Manifest> load_manifest(const std::filesystem::path& folder);
[[nodiscard]] Expected<trainer::CheckpointState> load_checkpoint_state(const std::filesystem::path& folder);

}  // namespace ddp::cli
