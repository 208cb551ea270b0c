#include "cli/spec/config_file_names.hpp"

#include <algorithm>
#include <vector>

#include "jobenv/config/suggestion.hpp"

namespace ddp::cli {
namespace {

using std::filesystem::path;

/// Of both usual endings.
bool has_yaml_ending(const path& file) {
  return file.extension() == ".yaml" || file.extension() == ".yml";
}

/// Without the ending, if it is that of YAML.
std::string bare_name(const path& file) {
  return has_yaml_ending(file) ? file.stem().string() : file.filename().string();
}

std::vector<path> config_files_in(const path& folder) {
  std::vector<path> files;
  std::error_code unreadable;
  for (const auto& entry : std::filesystem::directory_iterator(folder, unreadable)) {
    if (has_yaml_ending(entry.path()) && !entry.is_directory(unreadable)) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

std::string suggest_config_file(const path& file, const std::string& name) {
  const std::string wanted = bare_name(file);
  const auto distance = [&](const path& other) { return edit_distance(wanted, bare_name(other)); };
  const auto files = config_files_in(file.parent_path());
  const auto nearest = std::ranges::min_element(files, {}, distance);
  if (wanted.size() > 64 || nearest == files.end() || distance(*nearest) > wanted.size() / 3) return {};
  return "did you mean '" + (path(name).parent_path() / nearest->filename()).string() + "'?";
}

}  // namespace ddp::cli
