#pragma once

#include <cstdint>
#include <string_view>

namespace ddp {

/// Bytes that programs can still get on this machine; 0 when the kernel does not tell.
[[nodiscard]] std::uint64_t measure_available_memory();

/// MemAvailable in the text of /proc/meminfo, in bytes; 0 when it is not there. Pure.
[[nodiscard]] std::uint64_t parse_available_memory(std::string_view meminfo);

}  // namespace ddp
