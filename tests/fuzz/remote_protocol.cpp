// A line between ddpsubmit and the agent of an ssh host: what is read is written as it would be read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "jobenv/remote/remote_messages.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  if (const auto request = ddp::remote::parse_request(line)) {
    const auto again = ddp::remote::parse_request(ddp::remote::render_request(*request));
    if (!again || !(*again == *request)) std::abort();
  }
  if (const auto answer = ddp::remote::parse_answer(line)) {
    const auto again = ddp::remote::parse_answer(ddp::remote::render_answer(*answer));
    if (!again || !(*again == *answer)) std::abort();
  }
  return 0;
}
