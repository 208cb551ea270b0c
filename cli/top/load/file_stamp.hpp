#pragma once

#include <cstdint>
#include <filesystem>

namespace ddp::cli {

/// What changes when a file changes. All zero: there is none.
struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t size = 0;
  std::int64_t modified_ns = 0;

  bool operator==(const FileStamp&) const = default;
};

[[nodiscard]] FileStamp stamp_of(const std::filesystem::path& path);

}  // namespace ddp::cli
