#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "jobenv/record/plan/launch_plan.hpp"

namespace ddp::agent {

/// LaunchPlan::setup as one script of bash, to be run with -e, that ends in `exec "$@"`. A command whose
/// failure ends the script is written, with its exit code and its line, into the file `report`, which is made
/// only then, together with the line that called the function or sourced the file in which it failed. Nothing
/// is written of `exit`, of syntax errors and unset variables, nor when the lines trap ERR themselves; a
/// report that cannot be written is left out. That trap, which functions inherit, is all that the lines, and
/// what they start, may see of it: no variable, no descriptor. Pure.
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

/// " at run.yaml:4:13: `module load foo`, where 'module' failed at `false`", of the line that the content of
/// the file `report` tells of. Empty unless `status`, the shell's of waitpid, and the text of the line bear
/// the report out: bash numbers the lines within an eval or a trap as though they stood in the script. Pure.
[[nodiscard]] std::string describe_failed_line(const LaunchPlan& plan, int status, const std::string& report);

/// The same of the last line of what the shell has printed, for what bash does not trap: " at run.yaml:4:13:
/// `echo $FOO`: FOO: unbound variable". Empty when that line is not bash's. Pure.
[[nodiscard]] std::string describe_bash_error(const LaunchPlan& plan, const std::string& output);

}  // namespace ddp::agent
