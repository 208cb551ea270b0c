#pragma once

#include <chrono>

namespace ddp::agent {

/// How often head speaks to each agent, each agent answers, and head looks whether its claim still holds.
inline constexpr std::chrono::seconds kPulse{5};
/// After this long without a word, the other side counts as gone: agents kill their ranks, head takes the
/// agent for lost.
inline constexpr std::chrono::seconds kLease{30};
/// How long after head's last word an agent on an ssh host, whose ranks are gone, still tries to reach head
/// before it leaves: nobody else may be there to start it when the network is back.
inline constexpr std::chrono::seconds kReturn{90};

}  // namespace ddp::agent
