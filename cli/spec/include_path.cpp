#include "cli/spec/include_path.hpp"

#include <algorithm>

#include "jobenv/config/suggestion.hpp"

namespace ddp::cli {
namespace {

using std::filesystem::path;

bool is_there(const path& file) {
  std::error_code unreadable;
  return std::filesystem::exists(file, unreadable);
}

bool is_yaml(const path& file) {
  return file.extension() == ".yaml";
}

/// Of `folder` itself, as a file in it would name them.
std::vector<std::string> yaml_files(const path& folder, const path& shown_folder) {
  std::vector<std::string> names;
  std::error_code unreadable;
  for (const auto& entry : std::filesystem::directory_iterator(folder, unreadable)) {
    if (is_yaml(entry.path())) names.push_back((shown_folder / entry.path().filename()).string());
  }
  return names;
}

/// Without the ending, which all have: it would make all of them near.
std::string stem_of(const path& file) {
  return is_yaml(file) ? path(file).replace_extension().string() : file.string();
}

std::string file_stem_of(const std::string& file) {
  return path(stem_of(file)).filename().string();
}

/// The name nearest to `file`, by the whole path or by the file name alone.
std::string suggest_near(const std::string& file, const std::vector<std::string>& names) {
  const std::string stem = stem_of(file);
  const auto distance = [&](const std::string& name) {
    return file_stem_of(name) == file_stem_of(file) ? 0 : edit_distance(stem, stem_of(name));
  };
  const auto nearest = std::ranges::min_element(names, {}, distance);
  if (nearest != names.end() && distance(*nearest) <= stem.size() / 3)
    return "did you mean '" + *nearest + "'?";
  std::vector<std::string> file_stems;
  for (const std::string& name : names) file_stems.push_back(file_stem_of(name));
  const auto* near = find_nearest(file_stem_of(file), file_stems);
  if (near == nullptr) return {};
  return "did you mean '" + names[static_cast<std::size_t>(near - file_stems.data())] + "'?";
}

/// The names that go on after that of `file`: all shapes of "h100".
std::string suggest_longer(const std::string& file, const std::vector<std::string>& names) {
  std::vector<std::string> longer;
  for (const std::string& name : names) {
    if (file_stem_of(name).starts_with(file_stem_of(file) + "_")) longer.push_back("'" + name + "'");
  }
  return longer.empty() ? std::string() : "did you mean " + join_words(longer) + "?";
}

std::string suggest_include(const std::string& file, const std::vector<std::string>& names) {
  if (auto longer = suggest_longer(file, names); !longer.empty()) return longer;
  return suggest_near(file, names);
}

void append(std::vector<std::string>& all, std::vector<std::string> more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

path user_config_folder(const EnvMap& environment) {
  if (const auto xdg = environment.get("XDG_CONFIG_HOME"); xdg && xdg->starts_with('/'))
    return path(*xdg) / "ddpsubmit";
  if (const auto home = environment.get("HOME"); home && !home->empty())
    return path(*home) / ".config" / "ddpsubmit";
  return {};
}

IncludePath::IncludePath(path user_folder, path installed_folder) {
  for (path* folder : {&user_folder, &installed_folder}) {
    if (!folder->empty()) folders_.push_back(std::move(*folder));
  }
}

std::vector<path> IncludePath::folders(const path& beside) const {
  std::vector<path> all = {beside};
  all.insert(all.end(), folders_.begin(), folders_.end());
  return all;
}

path IncludePath::find(const std::string& file, const path& beside) const {
  for (const path& folder : folders(beside)) {
    path candidate = (folder / file).lexically_normal();
    if (is_there(candidate)) return candidate;
  }
  return {};
}

std::string IncludePath::hint(const std::string& file, const path& beside) const {
  const path folder = path(file).parent_path();
  std::vector<std::string> names = presets();
  append(names, yaml_files(beside / folder, folder));
  if (std::string near = suggest_include(file, names); !near.empty()) return near;
  std::string searched;
  for (const path& start : folders(beside))
    searched += (searched.empty() ? "" : ", ") + start.lexically_normal().string();
  return "looked in " + searched + "; to list the presets: ddpsubmit presets";
}

std::vector<std::string> IncludePath::presets() const {
  std::vector<std::string> names;
  for (const path& folder : folders_) {
    std::error_code unreadable;
    for (const auto& entry : std::filesystem::directory_iterator(folder, unreadable)) {
      if (entry.is_directory(unreadable)) append(names, yaml_files(entry.path(), entry.path().filename()));
    }
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace ddp::cli
