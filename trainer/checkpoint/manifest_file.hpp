#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "trainer/checkpoint/format/manifest.hpp"

namespace ddp::trainer {

/// Writes manifest.json and makes it durable. Throws std::system_error.
void save_manifest(const std::filesystem::path& folder, const Manifest& manifest);

/// Throws std::runtime_error that says what is wrong with it.
[[nodiscard]] Manifest load_manifest(const std::filesystem::path& folder);

/// The two steps of load_manifest(): its text, and what the text says. Throw likewise.
[[nodiscard]] std::string load_manifest_text(const std::filesystem::path& folder);
[[nodiscard]] Manifest parse_manifest_of(const std::filesystem::path& folder, std::string_view text);

/// Throws std::runtime_error when `manifest`, that of `folder`, does not name the file.
[[nodiscard]] const FileSum& sum_of(const Manifest& manifest, const std::filesystem::path& folder,
                                    const std::string& name);

/// Throws std::runtime_error, naming `file`, when it is not what the manifest expects.
void check_sum(const std::filesystem::path& file, const FileSum& read, const FileSum& expected);

/// Whether the checkpoint in `folder`, whose manifest has this text, has been deleted, or replaced by another
/// one, since that was read. To be asked when one of its files cannot be read.
[[nodiscard]] bool was_deleted(const std::filesystem::path& folder, std::string_view manifest);

/// What to say then.
[[nodiscard]] std::string describe_deletion(const std::filesystem::path& folder);

}  // namespace ddp::trainer
