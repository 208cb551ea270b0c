#pragma once

#include <sys/resource.h>

#include <optional>

namespace ddp::agent {

/// Raises this process's limit of open descriptors to the hard limit; returns the limits of before, for the
/// ranks.
[[nodiscard]] std::optional<rlimit> raise_descriptor_limit();

}  // namespace ddp::agent
