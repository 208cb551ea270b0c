#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "ddp/jobenv/error.hpp"

namespace ddp {

/// The room on one file system for a user without privileges.
struct DiskSpace {
  std::string file_system = {};  ///< its type: ext4, nfs4, lustre, …; empty: not known
  std::uint64_t free_bytes = 0;
  std::uint64_t total_inodes = 0;  ///< 0: the file system does not count them
  std::uint64_t free_inodes = 0;

  static void describe(auto& fields, auto& disk) {
    fields.field("file_system", disk.file_system);
    fields.field("free_bytes", disk.free_bytes);
    fields.field("total_inodes", disk.total_inodes);
    fields.field("free_inodes", disk.free_inodes);
  }
  bool operator==(const DiskSpace&) const = default;
};

/// Of the file system that holds `path`, which must exist.
[[nodiscard]] Expected<DiskSpace> measure_disk(const std::filesystem::path& path);

/// The type of the mounted device `major`:`minor` in the text of /proc/self/mountinfo; empty when it is not
/// there. Pure.
[[nodiscard]] std::string parse_file_system(std::string_view mountinfo, unsigned major, unsigned minor);

}  // namespace ddp
