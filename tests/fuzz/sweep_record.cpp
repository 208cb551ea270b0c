// sweep.json of a sweep: its points fit its keys, and are read again from what is written of them.
#include "cli/store/sweep_record.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto sweep = ddp::cli::parse_sweep_record({reinterpret_cast<const char*>(data), size});
  if (!sweep) return 0;
  for (const auto& point : sweep->points)
    if (point.size() != sweep->keys.size()) std::abort();
  if (ddp::cli::parse_sweep_record(ddp::cli::render_sweep_record(*sweep)) != sweep) std::abort();
  return 0;
}
