#pragma once

#include <filesystem>

#include "ddp/jobenv/error.hpp"

namespace ddp::cli {

/// Whether the file of `-o` may be written: it is not there, or a regular file. A usage error otherwise, as
/// saving would put a file in the place of a device.
[[nodiscard]] Expected<void> check_output_file(const std::filesystem::path& file);

}  // namespace ddp::cli
