#pragma once

#include <cstddef>

#include "jobenv/config/source_text.hpp"

namespace ddp {

/// Of one text of configuration.
inline constexpr std::size_t kMaxConfigBytes = 1024 * 1024;
inline constexpr std::size_t kMaxConfigNodes = 100'000;  ///< with every alias written out
inline constexpr int kMaxConfigDepth = 32;
[[nodiscard]] Error nested_too_deeply(const Place& at);

}  // namespace ddp
