#pragma once

#include <filesystem>

#include "ddp/jobenv/error.hpp"
#include "trainer/checkpoint/format/manifest.hpp"

namespace ddp::cli {

/// The manifest of the checkpoint in `folder`. The error has ExitCode::no_valid_checkpoint. Its message lacks
/// the name of the file, which the caller puts in front: "is missing".
[[nodiscard]] Expected<trainer::Manifest> load_manifest(const std::filesystem::path& folder);

}  // namespace ddp::cli
