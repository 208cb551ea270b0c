#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "cli/system/command_runner.hpp"
#include "jobenv/record/program_path.hpp"

namespace ddp::cli {
namespace {

bool is_executable(const std::filesystem::path& file) {
  std::error_code error;
  return std::filesystem::is_regular_file(file, error) && access(file.c_str(), X_OK) == 0;
}

}  // namespace

Expected<std::filesystem::path> resolve_program(const std::string& program, const EnvMap& environment) {
  const auto files = find_programs(program, environment.get("PATH").value_or(kDefaultPath));
  const auto found = std::ranges::find_if(files, is_executable);
  if (found != files.end()) return *found;
  if (program.find('/') != std::string::npos)
    return fail(ExitCode::not_found, "'" + program + "' is no executable file");
  return fail(ExitCode::not_found, "program '" + program + "' is not in PATH");
}

}  // namespace ddp::cli
