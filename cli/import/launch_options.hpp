#pragma once

#include <optional>
#include <string_view>

namespace ddp::cli {

/// A program of Python that starts ranks.
enum class RankStarter {
  none,
  torchrun,       ///< torchrun, or python -m torch.distributed.run
  launch_module,  ///< python -m torch.distributed.launch
  accelerate,     ///< accelerate launch
};

/// What an option of such a program becomes.
enum class LaunchMeaning {
  nodes,
  ranks_per_node,
  all_ranks,
  max_restarts,
  module,     ///< the script is the name of a module
  no_python,  ///< the script is a program
  run_path,   ///< Python runs the script, whatever `module` and `no_python` say
  use_env,    ///< no argument --local-rank
  one_node,
  variable,       ///< a variable with its value; `text` names it
  flag_variable,  ///< a variable with the value true
  not_needed,     ///< ddpsubmit does it by itself
  no_effect,      ///< `problem` says why, `text` what has it
  refused,        ///< `problem` says why, unless it is empty, `text` what to do
};

struct LaunchOption {
  std::string_view name;  ///< with '-' between words
  bool takes_value = true;
  LaunchMeaning meaning = LaunchMeaning::not_needed;
  std::string_view text = {};
  std::string_view letter = {};  ///< with its dash; empty: none
  std::string_view problem = {};
};

/// The option of a starter that `name` is, as it is written. nullopt: there is none.
[[nodiscard]] std::optional<LaunchOption> find_launch_option(RankStarter starter, std::string_view name);

/// Programs that start ranks and are not replaced here; `advice` says what to do.
struct ForeignStarter {
  std::string_view program;
  std::string_view advice;
};
[[nodiscard]] const ForeignStarter* find_foreign_starter(std::string_view program);

/// Whether words before the starter belong to a program that starts another one, such as a container.
[[nodiscard]] bool is_wrapper(std::string_view program);

}  // namespace ddp::cli
