#pragma once

#include <cstdint>
#include <filesystem>

#include "ddp/jobenv/error.hpp"
#include "jobenv/record/files/file_descriptor.hpp"

namespace ddp {

/// Whether a link in the place of the file is followed.
enum class Links { followed, refused };

struct RegularFile {
  FileDescriptor descriptor;
  std::uint64_t size = 0;  ///< when it was opened; of a file of /proc 0
};

/// Opens a file for reading. Never waits: what is no regular file, such as a FIFO, a socket or a device that
/// somebody has put into a run folder, is an error that names it. ExitCode::not_found: there is none.
[[nodiscard]] Expected<RegularFile> open_regular_file(const std::filesystem::path& path,
                                                      Links links = Links::followed);

}  // namespace ddp
