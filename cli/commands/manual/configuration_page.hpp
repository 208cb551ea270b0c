#pragma once

#include "cli/commands/manual/page.hpp"

namespace ddp::cli {

/// ddpsubmit.yaml(5), out of the table of keys. Pure.
[[nodiscard]] ManualPage configuration_page();

}  // namespace ddp::cli
