#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "ddp/jobenv/error.hpp"

namespace ddp {

/// How far a write has to be safe when the function returns.
enum class Durability { visible, synced };

/// Writes `text` under a temporary name in the same folder (mode 0600), renames it over `path`; with `synced` the file and
/// its folder are fsynced. A reader sees the old or the new text, never a part.
[[nodiscard]] Expected<void> save_file(const std::filesystem::path& path, std::string_view text, Durability durability);

/// The whole file. Refuses files over `max_bytes`.
[[nodiscard]] Expected<std::string> load_file(const std::filesystem::path& path, std::size_t max_bytes = 64u << 20);

}  // namespace ddp
