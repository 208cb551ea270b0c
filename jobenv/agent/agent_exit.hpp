#pragma once

#include <optional>
#include <string>

namespace ddp::agent {

/// What an agent leaves with that has never spoken with head: it has no other way to tell why. Numbers of
/// sysexits.h, which programs that set-up lines run rarely use.
inline constexpr int kExitHeadUnreached = 68;  ///< EX_NOHOST
inline constexpr int kExitNoWelcome = 69;      ///< EX_UNAVAILABLE

/// "head gave no welcome to an agent", of a status of waitpid that tells it; nullopt: it tells something
/// else.
[[nodiscard]] std::optional<std::string> describe_agent_exit(int status);

}  // namespace ddp::agent
