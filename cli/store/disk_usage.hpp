#pragma once

#include <cstdint>
#include <filesystem>

namespace ddp::cli {

/// The bytes that a folder takes on its disk, as `du` counts them: a file with several names counts once, and
/// symbolic links are not followed. What cannot be read counts as nothing.
[[nodiscard]] std::uint64_t disk_usage(const std::filesystem::path& folder);

}  // namespace ddp::cli
