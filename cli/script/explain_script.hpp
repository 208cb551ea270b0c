#pragma once

#include <string>
#include <vector>

#include "cli/script/sbatch_options.hpp"
#include "cli/spec/run_spec.hpp"

namespace ddp::cli {

/// A line of a batch script and what made it.
struct ExplainedLine {
  std::string text;
  std::vector<std::string> keys;  ///< paths of values in the spec
  std::string why;                ///< what ddpsubmit has added to them, or the line itself; may be empty
};

/// Every line of a script that was rendered from `spec` with these options. An empty line has neither keys
/// nor a reason. Pure.
[[nodiscard]] std::vector<ExplainedLine> explain_script(const std::string& script,
                                                        const std::vector<SbatchOption>& options,
                                                        const RunSpec& spec);

}  // namespace ddp::cli
