#pragma once

#include <chrono>

namespace ddp::agent {

/// How often head speaks to each agent, each agent answers, and head looks whether its claim still holds.
inline constexpr std::chrono::seconds kPulse{5};
/// After this long without a word, the other side counts as gone: agents kill their ranks, head takes the
/// agent for lost.
inline constexpr std::chrono::seconds kLease{30};

}  // namespace ddp::agent
