// manifest.json of a checkpoint: what is read is read again from what is written of it.
#include "trainer/checkpoint/format/manifest.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto manifest = ddp::trainer::parse_manifest({reinterpret_cast<const char*>(data), size});
  if (!manifest) return 0;
  const auto again = ddp::trainer::parse_manifest(ddp::trainer::render_manifest(*manifest));
  if (!again || again->files != manifest->files) std::abort();
  return 0;
}
