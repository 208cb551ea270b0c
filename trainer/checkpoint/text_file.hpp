#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "trainer/checkpoint/checked_file.hpp"

namespace ddp::trainer {

/// Writes a new file and makes it durable. Throws std::system_error.
FileSum save_text(const std::filesystem::path& file, std::string_view text);

/// What is in a file of a few kilobytes, and the sum of it. Throws std::runtime_error when it is too large,
/// and std::system_error when it cannot be read.
[[nodiscard]] std::pair<std::string, FileSum> load_text(const std::filesystem::path& file);

}  // namespace ddp::trainer
