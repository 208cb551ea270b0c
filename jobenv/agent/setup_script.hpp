#pragma once

#include <string>

#include "jobenv/record/launch_plan.hpp"

namespace ddp::agent {

/// LaunchPlan::setup as one script of bash, to be run with -e, that ends in `exec "$@"`. The number of the
/// line that ended it in failure is written to the descriptor `report`, which the executed program does not
/// get. Nothing is written when that line is not known: bash does not tell it of a syntax error, nor when the
/// lines set an EXIT trap of their own. Pure.
[[nodiscard]] std::string render_setup_script(const LaunchPlan& plan, int report);

/// " at run.yaml:4:13: `module load foo`", of a line counted from 1; empty when there is no such line.
[[nodiscard]] std::string describe_setup_line(const LaunchPlan& plan, int line);

}  // namespace ddp::agent
