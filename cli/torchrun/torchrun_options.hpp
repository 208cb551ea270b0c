#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ddp::cli {

/// What an option of torchrun becomes.
enum class TorchrunMeaning {
  nodes,
  ranks_per_node,
  one_node,
  max_restarts,
  module,     ///< the script is the name of a module
  no_python,  ///< the script is a program
  run_path,   ///< Python runs the script, whatever `module` and `no_python` say
  role,
  run_id,
  shown_ranks,
  node_rank,
  no_effect,  ///< `why` says why
  refused,    ///< `why` says why, `advice` what to do instead
};

/// What torchrun takes where --rdzv-id is not given.
inline constexpr std::string_view kDefaultRunId = "none";

struct TorchrunOption {
  std::string_view name;   ///< with its dashes
  std::string_view value;  ///< what the value is called; empty: a flag
  std::string_view doc;
  TorchrunMeaning meaning = TorchrunMeaning::no_effect;
  std::string_view short_name = {};  ///< a dash and a letter; empty: it has none
  std::string_view why = {};
  std::string_view setting = {};  ///< KEY=VALUE that has the effect, with which `why` ends; empty: none
  std::string_view advice = {};
};

/// torchrun's options, of torch 2.11.
[[nodiscard]] std::span<const TorchrunOption> torchrun_options();

/// With '-' between the words of the name, as the table has it.
[[nodiscard]] std::string with_dashes(std::string_view name);

/// The option that `name` is, as argparse takes it: with '_' in the place of '-', and shortened as long as it
/// can mean only one. nullptr: there is none.
[[nodiscard]] const TorchrunOption* find_torchrun_option(std::string_view name);

/// The variable from which torchrun takes an option that is not given, such as PET_NNODES; empty: from none.
[[nodiscard]] std::string variable_of(const TorchrunOption& option);

}  // namespace ddp::cli
