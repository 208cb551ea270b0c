#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ddp {

/// With this variable the dynamic loader lists what a program needs, and does not run it.
inline constexpr const char* kTraceLibraries = "LD_TRACE_LOADED_OBJECTS";

/// The names that such a list calls "not found", each once, in its order. Pure.
[[nodiscard]] std::vector<std::string> parse_missing_libraries(std::string_view list);

}  // namespace ddp
