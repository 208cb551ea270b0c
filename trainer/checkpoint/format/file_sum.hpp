#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace ddp::trainer {

/// What a manifest says of a file.
struct FileSum {
  std::uint64_t size = 0;  ///< in bytes
  std::uint32_t crc32c = 0;

  bool operator==(const FileSum&) const = default;
};

/// By the name of a file in the folder of a checkpoint.
using FileSums = std::map<std::string, FileSum>;

}  // namespace ddp::trainer
