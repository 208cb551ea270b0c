#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "cli/commands/command.hpp"

namespace ddp::cli {

namespace torchrun {

/// Options that more than one file asks for.
inline constexpr std::string_view kLauncher = "--launcher";
inline constexpr std::string_view kName = "--name";
inline constexpr std::string_view kSet = "--set";
inline constexpr std::string_view kDryRun = "--dry-run";
inline constexpr std::string_view kJson = "--json";
inline constexpr std::string_view kHelp = "--help";

}  // namespace torchrun

/// All that may stand before the script: the options of ddpsubmit, then torchrun's.
[[nodiscard]] std::vector<Option> line_options();

/// The option that `name` is: one of ddpsubmit, with '_' or '-' between its words, or one of torchrun, as
/// find_torchrun_option finds it. nullopt: there is none.
[[nodiscard]] std::optional<Option> find_line_option(std::string_view name);

}  // namespace ddp::cli
