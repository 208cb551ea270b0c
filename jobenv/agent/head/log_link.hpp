#pragma once

#include <filesystem>

#include "ddp/jobenv/error.hpp"

namespace ddp::agent {

/// Makes `link` a symbolic link to `log`, with the folders above it. It takes the place of another link, and
/// of nothing else: a file that is there is an error.
[[nodiscard]] Expected<void> save_link(const std::filesystem::path& link, const std::filesystem::path& log);

}  // namespace ddp::agent
