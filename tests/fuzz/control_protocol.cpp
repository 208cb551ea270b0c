// A line between head and an agent: what is read is written as it would be read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "jobenv/agent/protocol/control_protocol.hpp"

namespace {

template <class Message, class Parse>
void check(const Message& message, Parse parse) {
  if (!message) return;
  const auto line = ddp::agent::render_message(*message);
  const auto again = parse(line);
  if (!again || ddp::agent::render_message(*again) != line) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  check(ddp::agent::parse_head_message(line), ddp::agent::parse_head_message);
  check(ddp::agent::parse_agent_message(line), ddp::agent::parse_agent_message);
  return 0;
}
