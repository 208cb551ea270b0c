#include <algorithm>
#include <filesystem>
#include <string>

#include "cli/system/command_runner.hpp"
#include "jobenv/record/program_path.hpp"

namespace ddp::cli {

Expected<std::filesystem::path> resolve_program(const std::string& program, const EnvMap& environment) {
  const auto files = find_programs(program, environment.get("PATH").value_or(kDefaultPath));
  const auto found = std::ranges::find_if(files, is_executable);
  if (found != files.end()) return *found;
  if (program.find('/') != std::string::npos)
    return fail(ExitCode::not_found, "'" + program + "' is not an executable file");
  return fail(ExitCode::not_found, "program '" + program + "' is not in PATH");
}

}  // namespace ddp::cli
