#pragma once

#include <string>
#include <vector>

#include "ddp/jobenv/error.hpp"

namespace ddp::cli {

/// "0-3,7" -> sorted ranks without repeats, all below `world_size`. Errors have ExitCode::usage.
[[nodiscard]] Expected<std::vector<int>> parse_rank_set(const std::string& text, int world_size);

}  // namespace ddp::cli
