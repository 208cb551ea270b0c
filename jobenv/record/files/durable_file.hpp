#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "ddp/jobenv/error.hpp"

namespace ddp {

/// How far a write has to be safe when the function returns.
enum class Durability { visible, synced };

/// Writes `text` under a temporary name in the same folder (mode 0600), renames it over `path`; with `synced`
/// the file and its folder are fsynced. A reader sees the old or the new text, never a part. After an error
/// `path` is as before and no temporary file is left (but one case: the fsync of the folder failed, then
/// `path` holds the new text). Temporary names begin with a dot, so that whoever lists a folder can tell
/// them.
[[nodiscard]] Expected<void> save_file(const std::filesystem::path& path, std::string_view text,
                                       Durability durability);

using PrintText = std::function<void(std::string_view text)>;
/// The same for a text that comes in portions: `write` is called once, and hands them on. Its error is as one
/// of writing.
[[nodiscard]] Expected<void> save_file(const std::filesystem::path& path,
                                       const std::function<Expected<void>(const PrintText& print)>& write,
                                       Durability durability);

/// Makes the names in a folder (new, renamed, removed) survive a crash of the machine.
[[nodiscard]] Expected<void> sync_folder(const std::filesystem::path& folder);

/// Makes all that was written to these files and folders survive a crash of the machine. Several threads
/// sync at once, so that one commit of the journal, or one wait for a server, serves many; they have ended
/// when it returns. The error is that of the first path that has one.
[[nodiscard]] Expected<void> sync_together(std::span<const std::filesystem::path> paths);

/// The whole file. Refuses files over `max_bytes`, and what is no regular file (open_regular_file); a file
/// that does not exist is ExitCode::not_found.
[[nodiscard]] Expected<std::string> load_file(const std::filesystem::path& path,
                                              std::size_t max_bytes = 64u << 20);

}  // namespace ddp
