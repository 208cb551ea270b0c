#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "trainer/checkpoint/format/file_sum.hpp"

namespace ddp::cli {

/// Reads the whole file if it has the right size. nullopt: it matches. Otherwise what is wrong, as the end of
/// a sentence about the file.
[[nodiscard]] std::optional<std::string> find_mismatch(const std::filesystem::path& file,
                                                       const trainer::FileSum& expected);

}  // namespace ddp::cli
