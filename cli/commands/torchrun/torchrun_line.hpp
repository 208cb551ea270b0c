#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands/torchrun/line_options.hpp"
#include "ddp/jobenv/env_map.hpp"
#include "ddp/jobenv/error.hpp"

namespace ddp::cli {

/// An option with its value, and how it was written: "--nnodes 2", or "PET_NNODES=2" from the environment.
struct LineValue {
  std::string value;  ///< of a flag empty
  std::string written;
};

/// torchrun's command line, with the options of ddpsubmit before the script.
struct TorchrunLine {
  std::map<std::string, LineValue, std::less<>> options;  ///< by name; of several, the last
  std::vector<std::string> settings;                      ///< KEY=VALUE of each --set, in order
  std::string script;
  std::vector<std::string> arguments;  ///< of the script, as they are

  [[nodiscard]] bool has(std::string_view name) const { return options.contains(name); }
  /// nullptr: not given.
  [[nodiscard]] const LineValue* find(std::string_view name) const;
};

/// How many words of a line stand before the script; all, where there is none.
[[nodiscard]] std::size_t count_torchrun_options(std::span<const std::string> words);

/// Splits the words behind the verb. Variables PET_* stand for options that are not given, as for torchrun.
/// Options that are refused are in the line.
/// All errors at once, with ExitCode::usage. Pure.
[[nodiscard]] tl::expected<TorchrunLine, Errors> parse_torchrun_line(std::span<const std::string> words,
                                                                     const EnvMap& environment);

}  // namespace ddp::cli
