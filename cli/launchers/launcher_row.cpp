#include "cli/launchers/launcher_row.hpp"

#include <algorithm>

namespace ddp::cli {

const LauncherRow* find_launcher(std::string_view name) {
  const auto launchers = all_launchers();
  const auto found = std::ranges::find(launchers, name, &LauncherRow::name);
  return found == launchers.end() ? nullptr : *found;
}

const LauncherRow& launcher_here() {
  return **std::ranges::find(all_launchers(), RanksRun::here, &LauncherRow::ranks_run);
}

bool has_scheduler(std::string_view launcher) {
  const auto* row = find_launcher(launcher);
  return row != nullptr && row->has_scheduler();
}

}  // namespace ddp::cli
