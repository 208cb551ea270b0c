// state.json of a checkpoint: what is read is read again from what is written of it.
#include "trainer/checkpoint/format/checkpoint_state.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const char* folder : {"copy", "step-00000007-a0"}) {
    const auto state = ddp::trainer::parse_checkpoint_state(text, folder);
    if (!state) continue;
    const auto again =
        ddp::trainer::parse_checkpoint_state(ddp::trainer::render_checkpoint_state(*state), folder);
    if (!again || again->step != state->step) std::abort();
  }
  return 0;
}
