#include "jobenv/remote/remote_messages.hpp"

#include "jobenv/record/fields/message_line.hpp"

namespace ddp::remote {
namespace {

constexpr const char* kSubject = "remote message";

}  // namespace

std::string render_request(const Request& request) {
  return render_message_line(request);
}
std::string render_answer(const Answer& answer) {
  return render_message_line(answer);
}
Expected<Request> parse_request(std::string_view line) {
  return parse_message_line<Request>(line, kSubject);
}
Expected<Answer> parse_answer(std::string_view line) {
  return parse_message_line<Answer>(line, kSubject);
}

}  // namespace ddp::remote
