#include "cli/launch/preflight/source_check.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "cli/launch/preflight/outside_copy.hpp"
#include "cli/source/link_target.hpp"
#include "cli/source/tree_list.hpp"
#include "jobenv/config/diagnostic.hpp"

namespace ddp::cli {
namespace {

/// Points of a sweep have most of it in common.
void add_new(Preflight more, Preflight& found) {
  for (auto& error : more.errors) {
    const auto is_same = [&error](const Error& known) { return known.message == error.message; };
    if (std::ranges::none_of(found.errors, is_same)) found.errors.push_back(std::move(error));
  }
  for (auto& warning : more.warnings) {
    if (std::ranges::find(found.warnings, warning) == found.warnings.end())
      found.warnings.push_back(std::move(warning));
  }
}

/// Links that say an absolute path to what is in the tree, and not copied. Names the first one.
std::vector<std::string> warn_of_links_to_original(const WorkTree& tree, const TreeList& list) {
  std::string first;
  std::size_t count = 0;
  for (const auto& entry : list.entries) {
    if (entry.kind != EntryKind::link) continue;
    std::error_code error;
    const auto says = read_link_target(tree.root, entry.name, error);
    const bool leads_in = !error && says.is_absolute() && lies_inside(says.lexically_normal(), tree.root);
    if (!leads_in || target_in_copy(list, tree.root, entry.name, says).is_relative()) continue;
    if (++count == 1) first = "'" + entry.name.string() + "' leads to '" + says.string() + "'";
  }
  if (count == 0) return {};
  const auto others = count == 1 ? "" : ", and " + std::to_string(count - 1) + " more links do so";
  return {"the link " + first + others +
          ": that is in the working tree, but not in its copy (environment.snapshot), so the run uses the "
          "original"};
}

Preflight check_copy(const RunSpec& spec, const WorkTree& tree, const LauncherSeams& seams) {
  const auto where = spec.origins.mark("environment.snapshot");
  const auto list = list_tree(tree, seams.submitter, seams.system.runner);
  std::optional<Error> error = list ? find_too_large(*list, tree, spec.snapshot_limit()) : list.error();
  if (!error) error = find_unreadable(*list, tree);
  Preflight found;
  if (error) {
    error->where = where;
    found.errors.push_back(std::move(*error));
    return found;
  }
  for (const auto& warning : warn_of_links_to_original(tree, *list))
    found.warnings.push_back((where ? render_place(*where) + ": " : "") + warning);
  if (spec.points.empty()) add_new(find_outside_copy(spec, tree, *list, seams.submitter), found);
  for (const RunSpec& point : spec.points)
    add_new(find_outside_copy(point, tree, *list, seams.submitter), found);
  return found;
}

}  // namespace

Preflight check_source(const RunSpec& spec, const RunFolder& folder, const std::filesystem::path& submit_dir,
                       const LauncherSeams& seams) {
  if (!spec.keeps_snapshot() && !spec.environment.record_diff) return {};
  const auto tree = find_work_tree(submit_dir);
  std::error_code error;
  if (spec.keeps_snapshot())
    return std::filesystem::exists(folder.source_tree(), error) ? Preflight{} : check_copy(spec, tree, seams);
  if (tree.kind == TreeKind::git) return {};
  const auto where = spec.origins.mark("environment.record_diff");
  return {
      .errors = {},
      .warnings = {(where ? render_place(*where) + ": " : "") + "environment.record_diff has no effect: '" +
                   tree.root.string() + "' is not in a git repository"}};
}

}  // namespace ddp::cli
