#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/commands/command.hpp"
#include "cli/commands/manual/page.hpp"

namespace ddp::cli {

// What the manual pages and docs/cli.md say alike, out of the tables.

/// With a capital letter and a full stop.
[[nodiscard]] std::string to_sentence(std::string_view text);

/// "ddpsubmit run [OPTIONS] CONFIG [KEY=VALUE]..."
[[nodiscard]] std::string synopsis_of(const Command& command);
/// The summary and the description, as sentences.
[[nodiscard]] Paragraph description_of(const Command& command);
[[nodiscard]] Entries operands_of(const Command& command);
/// Its own ones, then those of all verbs.
[[nodiscard]] Entries options_of(const Command& command);
/// Each command with its purpose as a comment before it.
[[nodiscard]] Listing examples_of(const Command& command);

/// What `ddpsubmit` is, and how its words are read.
[[nodiscard]] std::vector<Block> introduction();
/// Those of `ddpsubmit` without a verb.
[[nodiscard]] Entries common_options();
[[nodiscard]] Entries run_selectors();
[[nodiscard]] Entries exit_status();
[[nodiscard]] Entries environment_variables();
[[nodiscard]] Entries files();

}  // namespace ddp::cli
