#include "cli/launch/launchers.hpp"

#include "jobenv/config/suggestion.hpp"

namespace ddp::cli {

Expected<std::unique_ptr<Launcher>> make_launcher(std::string_view name, const LauncherSeams& seams) {
  if (const auto* row = find_launcher(name)) return row->make(seams);
  std::vector<std::string> names;
  for (const auto* known : all_launchers()) names.emplace_back(known->name);
  return fail(ExitCode::not_found, "'" + std::string(name) + "' is not a launcher",
              "known: " + join_words(names, " and "));
}

}  // namespace ddp::cli
