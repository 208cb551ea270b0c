#pragma once

#include <span>
#include <string>

namespace ddp::trainer {

/// "rank 2", or "ranks 1, 2 and 5", in the order of `ranks`, which are one at least.
[[nodiscard]] std::string render_rank_list(std::span<const int> ranks);

}  // namespace ddp::trainer
