#pragma once

#include <string>

#include "ddp/jobenv/error.hpp"

namespace ddp::agent {

/// 128 random bits from the kernel, as 32 hexadecimal digits.
[[nodiscard]] Expected<std::string> make_nonce();

}  // namespace ddp::agent
