#include <unistd.h>

#include <filesystem>
#include <sstream>
#include <string>

#include "cli/system/command_runner.hpp"

namespace ddp::cli {
namespace {

bool is_executable(const std::filesystem::path& file) {
  std::error_code error;
  return std::filesystem::is_regular_file(file, error) && access(file.c_str(), X_OK) == 0;
}

}  // namespace

Expected<std::filesystem::path> resolve_program(const std::string& program, const EnvMap& environment) {
  if (program.find('/') != std::string::npos) {
    if (is_executable(program)) return program;
    return fail(ExitCode::not_found, "'" + program + "' is no executable file");
  }
  std::istringstream folders(environment.get("PATH").value_or("/usr/bin:/bin"));
  for (std::string folder; std::getline(folders, folder, ':');) {
    const auto file = std::filesystem::path(folder.empty() ? "." : folder) / program;
    if (is_executable(file)) return file;
  }
  return fail(ExitCode::not_found, "program '" + program + "' is not in PATH");
}

}  // namespace ddp::cli
