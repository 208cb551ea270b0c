#include "cli/launchers/ssh/keys/pushed_paths.hpp"

#include <algorithm>
#include <filesystem>

#include "cli/launchers/ssh/keys/ssh_options.hpp"
#include "jobenv/record/files/last_slash.hpp"

namespace ddp::cli {

std::optional<std::string> path_below(const std::string& path) {
  const auto shortest = without_last_slash(std::filesystem::path(path).lexically_normal());
  if (shortest.empty() || shortest.is_absolute() || *shortest.begin() == "..") return std::nullopt;
  return shortest.string();
}

bool names_pushed_file(const RunSpec& spec, const std::string& file) {
  const auto wanted = path_below(file);
  return wanted && std::ranges::any_of(options_of<SshOptions>(spec).push, [&](const std::string& text) {
           const auto named = path_below(text);
           return named && (*named == "." || *named == *wanted || wanted->starts_with(*named + "/"));
         });
}

}  // namespace ddp::cli
