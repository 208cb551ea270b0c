#pragma once

#include <string>
#include <vector>

#include "cli/launch/explained_line.hpp"
#include "cli/launchers/slurm/script/sbatch_options.hpp"
#include "cli/spec/run_spec.hpp"

namespace ddp::cli {

/// Every line of a script that was rendered from `spec` with these options. An empty line has neither keys
/// nor a reason. Pure.
[[nodiscard]] std::vector<ExplainedLine> explain_script(const std::string& script,
                                                        const std::vector<SbatchOption>& options,
                                                        const RunSpec& spec);

}  // namespace ddp::cli
