#pragma once

#include <filesystem>

#include "trainer/checkpoint/format/manifest.hpp"

namespace ddp::trainer {

/// Writes manifest.json and makes it durable. Throws std::system_error.
void save_manifest(const std::filesystem::path& folder, const Manifest& manifest);

/// Throws std::runtime_error that says what is wrong with it.
[[nodiscard]] Manifest load_manifest(const std::filesystem::path& folder);

/// Throws std::runtime_error, naming `file`, when it is not what the manifest expects.
void check_sum(const std::filesystem::path& file, const FileSum& read, const FileSum& expected);

}  // namespace ddp::trainer
