#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace ddp::agent {

/// A file that a process has mapped into its memory.
struct MappedFile {
  std::string path;    ///< as the process sees it; it may have another file by now
  std::string device;  ///< "fd:01", in hexadecimal digits
  std::uint64_t inode = 0;

  auto operator<=>(const MappedFile&) const = default;
};

/// Each file once, sorted. Files that have no name any more are left out. Empty when the process is gone, or
/// is not the caller's.
[[nodiscard]] std::vector<MappedFile> mapped_files(pid_t pid);

/// The same from the text of /proc/PID/maps.
[[nodiscard]] std::vector<MappedFile> parse_mapped_files(const std::string& maps);

}  // namespace ddp::agent
