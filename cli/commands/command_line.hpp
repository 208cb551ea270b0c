#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "cli/commands/command.hpp"

namespace ddp::cli {

/// Words after it are not options.
inline constexpr std::string_view kEndOfOptions = "--";

struct Invocation {
  const Command* command = nullptr;
  Arguments arguments;
};

/// What `--help` and `--version` print.
struct ShownText {
  std::string_view schema;
  std::string text;
};

using CommandLine = std::variant<Invocation, ShownText>;

/// `words` without the program's name. Errors have ExitCode::usage. Pure.
[[nodiscard]] Expected<CommandLine> parse_command_line(const std::vector<std::string>& words,
                                                       std::span<const Command> commands);

/// Whether --json is among the words, which is to be known even if they cannot be parsed.
[[nodiscard]] OutputMode output_mode_of(const std::vector<std::string>& words,
                                        std::span<const Command> commands);

}  // namespace ddp::cli
