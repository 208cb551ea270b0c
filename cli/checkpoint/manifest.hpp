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

/// The manifest of the checkpoint in `folder`. The error has ExitCode::no_valid_checkpoint, and its message
/// goes on after the name of the file: "is missing".
[[nodiscard]] Expected<Manifest> load_manifest(const std::filesystem::path& folder);

}  // namespace ddp::cli
