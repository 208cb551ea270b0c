#pragma once

#include <string>

#include "cli/commands/manual/page.hpp"

namespace ddp::cli {

/// The page in the macros of man(7), as man and mandoc read them. Pure.
[[nodiscard]] std::string render_troff(const ManualPage& page, const Edition& edition);

}  // namespace ddp::cli
