#pragma once

#include "cli/system/clock.hpp"
#include "cli/system/command_runner.hpp"
#include "cli/system/host.hpp"

namespace ddp::cli {

/// The outside as one value: what a verb or a launcher needs to act on it. Owns nothing.
struct System {
  CommandRunner& runner;
  Clock& clock;
  Host& host;
};

}  // namespace ddp::cli
