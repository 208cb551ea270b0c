#pragma once

#include <string>

namespace ddp {

/// What this machine calls itself.
[[nodiscard]] std::string host_name();

}  // namespace ddp
