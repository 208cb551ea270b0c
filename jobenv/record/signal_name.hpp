#pragma once

#include <string>
#include <string_view>

#include "ddp/jobenv/error.hpp"

namespace ddp {

/// "KILL" for 9, "RTMIN+1" for 35, "signal 77" for what has no name.
[[nodiscard]] std::string signal_name(int signal);

/// The number of "USR2" or "SIGUSR2".
[[nodiscard]] Expected<int> parse_signal(std::string_view name);

}  // namespace ddp
