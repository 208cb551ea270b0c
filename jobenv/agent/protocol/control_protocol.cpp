#include "jobenv/agent/protocol/control_protocol.hpp"

#include "jobenv/record/fields/message_line.hpp"

namespace ddp::agent {
namespace {

constexpr const char* kSubject = "control message";

}  // namespace

std::string render_message(const HeadMessage& message) {
  return render_message_line(message);
}

std::string render_message(const AgentMessage& message) {
  return render_message_line(message);
}

Expected<HeadMessage> parse_head_message(std::string_view line) {
  return parse_message_line<HeadMessage>(line, kSubject);
}

Expected<AgentMessage> parse_agent_message(std::string_view line) {
  return parse_message_line<AgentMessage>(line, kSubject);
}

}  // namespace ddp::agent
