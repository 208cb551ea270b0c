#include "cli/launch/launchers.hpp"

#include <algorithm>
#include <array>

#include "jobenv/config/suggestion.hpp"

namespace ddp::cli {

std::unique_ptr<Launcher> make_local_launcher(const LauncherSeams& seams);
std::unique_ptr<Launcher> make_slurm_launcher(const LauncherSeams& seams);
std::unique_ptr<Launcher> make_ssh_launcher(const LauncherSeams& seams);

namespace {

struct LauncherRow {
  std::string_view name;
  std::unique_ptr<Launcher> (*make)(const LauncherSeams& seams);
};

constexpr std::array<LauncherRow, 3> kLaunchers{{
    {"local", make_local_launcher},
    {"slurm", make_slurm_launcher},
    {"ssh", make_ssh_launcher},
}};

}  // namespace

Expected<std::unique_ptr<Launcher>> make_launcher(std::string_view name, const LauncherSeams& seams) {
  const auto row = std::ranges::find(kLaunchers, name, &LauncherRow::name);
  if (row != kLaunchers.end()) return row->make(seams);
  std::vector<std::string> names;
  for (const auto& known : kLaunchers) names.emplace_back(known.name);
  return fail(ExitCode::not_found, "there is no launcher '" + std::string(name) + "'",
              "known are " + join_words(names, " and "));
}

}  // namespace ddp::cli
