#pragma once

#include <span>
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
  use_env,    ///< no argument --local-rank
  one_node,
  variable,       ///< a variable with its value; `text` names it
  flag_variable,  ///< a variable with the value true
  not_needed,     ///< `text` says why
  refused,        ///< `text` says what to do
};

struct LaunchOption {
  std::string_view name;  ///< with '-' between words, without the dashes before it
  bool takes_value = true;
  LaunchMeaning meaning = LaunchMeaning::not_needed;
  std::string_view text = {};
  char letter = 0;
};

/// The options of a starter.
[[nodiscard]] std::span<const LaunchOption> launch_options(RankStarter starter);

/// Programs that start ranks and are not replaced here; `advice` says what to do.
struct ForeignStarter {
  std::string_view program;
  std::string_view advice;
};
[[nodiscard]] const ForeignStarter* find_foreign_starter(std::string_view program);

/// Whether words before the starter belong to a program that starts another one, such as a container.
[[nodiscard]] bool is_wrapper(std::string_view program);

}  // namespace ddp::cli
