#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "cli/checkpoint/file_sum.hpp"
#include "ddp/jobenv/error.hpp"

namespace ddp::cli {

inline constexpr const char* kManifestFile = "manifest.json";
inline constexpr const char* kStateFile = "state.json";

/// The files of a checkpoint, but manifest.json itself, by their names.
using Manifest = std::map<std::string, FileSum>;

/// The manifest of the checkpoint in `folder`. The error has ExitCode::no_valid_checkpoint. Its message lacks
/// the name of the file, which the caller puts in front: "is missing".
[[nodiscard]] Expected<Manifest> load_manifest(const std::filesystem::path& folder);

}  // namespace ddp::cli
