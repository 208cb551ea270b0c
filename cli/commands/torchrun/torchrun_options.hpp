#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/commands/command.hpp"

namespace ddp::cli {

/// Who understands an option that stands before the script.
enum class OptionOf { torchrun, ddpsubmit };

struct TorchrunOption {
  Option option;
  OptionOf of = OptionOf::torchrun;
  std::string_view without_effect = {};  ///< why it has none here; empty: it has one
  std::string_view refusal = {};         ///< why it is refused; empty: it is not
  std::string_view advice = {};          ///< of the refusal: what to do instead
};

namespace torchrun {

/// Options that more than one file asks for.
inline constexpr std::string_view kLauncher = "--launcher";
inline constexpr std::string_view kName = "--name";
inline constexpr std::string_view kSet = "--set";
inline constexpr std::string_view kDryRun = "--dry-run";
inline constexpr std::string_view kJson = "--json";
inline constexpr std::string_view kHelp = "--help";

}  // namespace torchrun

/// All that may stand before the script: those of ddpsubmit, then torchrun's, of torch 2.11.
[[nodiscard]] std::span<const TorchrunOption> torchrun_options();

/// The option that `name` is, as argparse takes it: with '_' in the place of '-', and, for those of torchrun,
/// shortened as long as it can mean only one. nullptr: there is none.
[[nodiscard]] const TorchrunOption* find_torchrun_option(std::string_view name);

/// The variable from which torchrun takes an option that is not given, such as PET_NNODES; empty: from none.
[[nodiscard]] std::string variable_of(const TorchrunOption& option);

}  // namespace ddp::cli
