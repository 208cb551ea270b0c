#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "trainer/checkpoint/checked_file.hpp"

namespace ddp::trainer {

/// Writes a new file and makes it durable. Throws std::system_error.
FileSum save_text(const std::filesystem::path& file, std::string_view text);

/// The JSON object in a file of a checkpoint, of a few kilobytes, and the sum of the file. Throws
/// std::runtime_error that says what is wrong with it.
[[nodiscard]] std::pair<nlohmann::json, FileSum> load_json(const std::filesystem::path& file);

}  // namespace ddp::trainer
