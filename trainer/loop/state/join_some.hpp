#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace ddp::trainer {

/// The first `shown` of `texts`, and how many there are besides: "a; b; and 3 more".
[[nodiscard]] std::string join_some(std::span<const std::string> texts, std::size_t shown);

}  // namespace ddp::trainer
