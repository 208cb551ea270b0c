#pragma once

#include <span>
#include <string_view>

namespace ddp::cli {

/// What teaches a shell to ask `ddpsubmit __complete`.
struct CompletionScript {
  std::string_view shell;
  std::string_view text;
  std::string_view file;  ///< where an installation has it, below share/
};

[[nodiscard]] std::span<const CompletionScript> completion_scripts();

}  // namespace ddp::cli
