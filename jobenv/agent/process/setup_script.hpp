#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "jobenv/record/plan/launch_plan.hpp"

namespace ddp::agent {

/// LaunchPlan::setup as one script of bash, to be run with -e, that ends in `exec "$@"`. A command whose
/// failure ends the script is written, with its exit code and its line, into the file `report`, which is made
/// only then. Nothing is written of `exit`, of syntax errors and unset variables, of what fails within a
/// function or a sourced file, nor when the lines trap ERR themselves; a report that cannot be written is
/// left out. That trap is all that the lines, and what they start, may see of it: no variable, no descriptor.
/// Pure.
[[nodiscard]] std::string render_setup_script(const LaunchPlan& plan, const std::filesystem::path& report);

/// In front of what bash says about a line, and of what is said about the shell.
inline constexpr const char* kSetupName = "environment.setup";

/// The command line of a shell that runs that script and becomes `program`. Its first word is an absolute
/// path.
[[nodiscard]] std::vector<std::string> render_setup_argv(const LaunchPlan& plan,
                                                         const std::filesystem::path& report,
                                                         const std::vector<std::string>& program);

/// The first line of the file `report`, which is all that counts, and goes with it; empty when it cannot be
/// read.
[[nodiscard]] std::string take_failure_report(const std::filesystem::path& report);

/// " at run.yaml:4:13: `module load foo`", of the line that the content of the file `report` tells of. Empty
/// unless `status`, the shell's of waitpid, and the text of the line bear the report out: bash numbers the
/// lines within an eval or a trap as though they stood in the script. Pure.
[[nodiscard]] std::string describe_failed_line(const LaunchPlan& plan, int status, const std::string& report);

}  // namespace ddp::agent
