#include "cli/launch/plan/python_environment.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "cli/system/command_runner.hpp"
#include "jobenv/record/files/last_slash.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;

std::string without_blanks(const std::string& text) {
  const auto begin = text.find_first_not_of(" \t\r");
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

/// The settings in pyvenv.cfg, such as `home = /usr/bin`. Empty if `folder` is not a virtual environment.
std::map<std::string, std::string> load_virtual_environment(const fs::path& folder) {
  std::map<std::string, std::string> values;
  std::ifstream file(folder / "pyvenv.cfg");
  for (std::string line; std::getline(file, line);) {
    const auto equals = line.find('=');
    if (equals == std::string::npos) continue;
    values[without_blanks(line.substr(0, equals))] = without_blanks(line.substr(equals + 1));
  }
  return values;
}

/// Where the Python is installed that a virtual environment was made with, if it looks there for packages.
fs::path prefix_behind(const fs::path& environment) {
  const auto values = load_virtual_environment(environment);
  const auto sees = values.find("include-system-site-packages");
  const auto home = values.find("home");
  if (sees == values.end() || sees->second != "true" || home == values.end()) return {};
  return fs::path(home->second).parent_path();
}

void append_own_folders(const fs::path& prefix, std::vector<fs::path>& folders) {
  std::vector<std::pair<int, fs::path>> found;
  for (const char* const lib : {"lib", "lib64"}) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(prefix / lib, error)) {
      const std::string name = entry.path().filename();
      if (!name.starts_with("python3.")) continue;
      const int minor = std::atoi(name.c_str() + std::string_view("python3.").size());
      // The second is Debian's and Ubuntu's name for it, in images for GPUs, too.
      for (const char* const packages : {"site-packages", "dist-packages"})
        found.emplace_back(minor, entry.path() / packages);
    }
  }
  std::ranges::stable_sort(found, std::greater(), &std::pair<int, fs::path>::first);
  for (auto& [minor, folder] : found) folders.push_back(std::move(folder));
}

}  // namespace

std::vector<fs::path> package_folders(const fs::path& prefix) {
  std::vector<fs::path> folders;
  append_own_folders(prefix, folders);
  const fs::path behind = prefix_behind(prefix);
  if (behind == "/usr") append_own_folders("/usr/local", folders);  // Debian's Python looks there first
  if (!behind.empty()) append_own_folders(behind, folders);
  return folders;
}

std::optional<fs::path> program_of_active_environment(const std::string& program, const EnvMap& submitter) {
  const bool is_path = program.find('/') != std::string::npos;
  const auto file = is_path ? tl::unexpected(Error{}) : resolve_program(program, submitter);
  if (!file) return std::nullopt;
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    // Many shells activate conda's base by themselves: nobody has chosen it.
    if (variable == std::string_view("CONDA_PREFIX") && submitter.get("CONDA_DEFAULT_ENV") == "base")
      continue;
    const fs::path prefix =
        without_last_slash(fs::path(submitter.get(variable).value_or("")).lexically_normal());
    if (!prefix.empty() && file->parent_path().lexically_normal() == prefix / "bin") return *file;
  }
  return std::nullopt;
}

}  // namespace ddp::cli
