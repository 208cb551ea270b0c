#pragma once

#include <string>
#include <vector>

#include "cli/commands/command.hpp"
#include "cli/store/run_store.hpp"

namespace ddp::cli {

inline constexpr std::string_view kRunDoc = "run id, unique prefix, name, Slurm job id, or last";

/// The run that a word on the command line means.
[[nodiscard]] Expected<RunPointer> find_run(const std::string& selector, const Context& context);

/// Several; one that is not found refuses all.
[[nodiscard]] Expected<std::vector<RunPointer>> find_runs(const std::vector<std::string>& selectors,
                                                          const Context& context);

}  // namespace ddp::cli
