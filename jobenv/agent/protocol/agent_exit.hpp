#pragma once

#include <optional>
#include <string>

namespace ddp::agent {

/// Exit codes of an agent that never reached head, which has no other way to say why. They are numbers of
/// sysexits.h, which programs that set-up lines run rarely use.
inline constexpr int kExitHeadUnreached = 68;  ///< EX_NOHOST
inline constexpr int kExitNoWelcome = 69;      ///< EX_UNAVAILABLE

/// How an agent's last words begin then.
inline constexpr const char* kNoWelcome = "head did not accept this agent";
inline constexpr const char* kHeadUnreached = "cannot reach head";

/// "head gave no welcome to an agent", of a status of waitpid that tells it; nullopt: it tells something
/// else.
[[nodiscard]] std::optional<std::string> describe_agent_exit(int status);
/// Whether an agent has said so: a set-up line may leave with such a code as well.
[[nodiscard]] bool tells_of_head(const std::string& log);

}  // namespace ddp::agent
