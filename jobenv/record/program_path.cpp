#include "jobenv/record/program_path.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

namespace ddp {

std::vector<std::string> find_programs(const std::string& argv0, const std::string& path) {
  if (argv0.find('/') != std::string::npos) return {argv0};
  std::vector<std::string> programs;
  for (std::size_t begin = 0; begin <= path.size() && !argv0.empty();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const std::string folder = path.substr(begin, end - begin);
    programs.push_back((folder.empty() ? "." : folder) + "/" + argv0);
    begin = end + 1;
  }
  return programs;
}

bool is_executable(const std::string& file) {
  std::error_code error;
  return std::filesystem::is_regular_file(file, error) && access(file.c_str(), X_OK) == 0;
}

void append_to_path(EnvMap& environment, const std::string& folder) {
  environment.set("PATH", environment.get("PATH").value_or(kDefaultPath) + ":" + folder);
}

EnvMap with_libraries(EnvMap environment, const LibraryFolders& folders) {
  if (folders == LibraryFolders{}) return environment;
  std::string path;
  for (const auto& part : {folders.first, environment.get(kLibraryPath).value_or(""), folders.spare}) {
    if (!part.empty()) path += (path.empty() ? "" : ":") + part;
  }
  environment.set(kLibraryPath, path);
  return environment;
}

}  // namespace ddp
