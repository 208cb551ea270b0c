#include "cli/commands/complete/complete_path.hpp"

#include <algorithm>
#include <filesystem>

namespace ddp::cli {
namespace {

using std::filesystem::path;

/// The folder that `typed` stands for, the part of a path up to its last slash.
path folder_of_typed(const std::string& typed, const Context& context) {
  if (typed.starts_with("~/")) return path(context.environment.get("HOME").value_or("")) / typed.substr(2);
  return context.current_folder / typed;
}

bool is_wanted_file(const path& file, Wanted wanted) {
  if (wanted == Wanted::folders) return false;
  return wanted == Wanted::files || file.extension() == ".yaml" || file.extension() == ".yml";
}

}  // namespace

Candidates complete_path(const std::string& begin, Wanted wanted, const Context& context) {
  const auto typed = begin.substr(0, begin.rfind('/') + 1);
  const auto name_begin = begin.substr(typed.size());
  Candidates candidates;
  std::error_code error;
  std::filesystem::directory_iterator entry(folder_of_typed(typed, context), error);
  for (const std::filesystem::directory_iterator end; !error && entry != end; entry.increment(error)) {
    const auto name = entry->path().filename().string();
    const bool is_hidden = name.starts_with('.') && !name_begin.starts_with('.');
    if (!name.starts_with(name_begin) || is_hidden) continue;
    std::error_code unreadable;
    if (entry->is_directory(unreadable))
      candidates.push_back({typed + name + "/", {}});
    else if (is_wanted_file(entry->path(), wanted))
      candidates.push_back({typed + name, {}});
  }
  std::ranges::sort(candidates, {}, &Candidate::word);
  return candidates;
}

}  // namespace ddp::cli
