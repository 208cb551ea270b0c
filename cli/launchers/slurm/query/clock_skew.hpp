#pragma once

#include <chrono>

namespace ddp::cli {

/// How far the clocks of a cluster's hosts may be apart, at most.
inline constexpr std::chrono::minutes kClockSkew{2};

}  // namespace ddp::cli
