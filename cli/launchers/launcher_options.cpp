#include "cli/launchers/launcher_options.hpp"

#include <algorithm>

#include "cli/launchers/launcher_row.hpp"

namespace ddp::cli {

LauncherSections::LauncherSections() {
  for (const auto* launcher : all_launchers()) {
    if (launcher->make_options != nullptr) sections_.emplace(launcher->name, launcher->make_options());
  }
}

LauncherSections::LauncherSections(const LauncherSections& other) {
  for (const auto& [name, section] : other.sections_) sections_.emplace(name, section->clone());
}

LauncherSections& LauncherSections::operator=(const LauncherSections& other) {
  return *this = LauncherSections(other);
}

LauncherOptions* LauncherSections::find(std::string_view launcher) {
  const auto found = sections_.find(launcher);
  return found == sections_.end() ? nullptr : found->second.get();
}

const LauncherOptions* LauncherSections::find(std::string_view launcher) const {
  const auto found = sections_.find(launcher);
  return found == sections_.end() ? nullptr : found->second.get();
}

bool LauncherSections::operator==(const LauncherSections& other) const {
  return std::ranges::equal(sections_, other.sections_, [](const auto& a, const auto& b) {
    return a.first == b.first && a.second->equals(*b.second);
  });
}

}  // namespace ddp::cli
