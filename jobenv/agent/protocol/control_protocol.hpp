#pragma once

#include <string>
#include <string_view>

#include "ddp/jobenv/error.hpp"
#include "jobenv/agent/protocol/messages.hpp"

namespace ddp::agent {

/// Messages as lines: one JSON object each, named by its `schema`. Parsing is strict: an unknown name, a
/// missing, mistyped, surplus or senseless field is an error that names it.
[[nodiscard]] std::string render_message(const HeadMessage& message);
[[nodiscard]] std::string render_message(const AgentMessage& message);
[[nodiscard]] Expected<HeadMessage> parse_head_message(std::string_view line);
[[nodiscard]] Expected<AgentMessage> parse_agent_message(std::string_view line);

/// The longest line that either side accepts.
inline constexpr std::size_t kMaxLine = 1 << 20;
/// The longest first line that head accepts of a connection that has not named the nonce.
inline constexpr std::size_t kMaxNonceLine = 128;

}  // namespace ddp::agent
