#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/commands/command.hpp"
#include "cli/commands/manual/page.hpp"

namespace ddp::cli {

/// ddpsubmit(1), a page for each verb that is listed, and ddpsubmit.yaml(5). Pure.
[[nodiscard]] std::vector<ManualPage> manual_pages(std::span<const Command> commands);

/// The text of docs/cli.md. Pure.
[[nodiscard]] std::string markdown_page(std::span<const Command> commands);

}  // namespace ddp::cli
