#pragma once

#include <string>

#include "cli/commands/manual/page.hpp"

namespace ddp::cli {

/// The blocks as Markdown, in lines of at most 120 characters where they can be parted. Pure.
[[nodiscard]] std::string render_markdown(const std::vector<Block>& blocks);

/// With a heading of that level, 2 for "## Title".
[[nodiscard]] std::string render_markdown(const Section& section, int level);

}  // namespace ddp::cli
