#include "cli/commands/prune/prune_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "cli/commands/prune/succeeded_points.hpp"
#include "cli/output/count_text.hpp"
#include "cli/output/size_text.hpp"
#include "cli/output/table.hpp"
#include "cli/output/time_text.hpp"

namespace ddp::cli {
namespace {

using nlohmann::json;
using std::chrono::duration_cast;
using std::chrono::milliseconds;
using std::chrono::system_clock;

std::uint64_t total_bytes(const std::vector<PruneItem>& items) {
  return std::accumulate(items.begin(), items.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const PruneItem& item) { return sum + item.bytes; });
}

/// Items of other kinds have no run folder.
bool has_records(const PruneItem& item) {
  return item.kind == PruneKind::run || item.kind == PruneKind::checkpoints;
}

std::string what_goes(const PruneItem& item) {
  switch (item.kind) {
    case PruneKind::run:
      return "run folder";
    case PruneKind::checkpoints:
      return render_count(item.checkpoints.size(), "checkpoint");
    case PruneKind::unfinished:
      return "rest of an interrupted prune";
    case PruneKind::pointer:
      break;
  }
  return "entry in the list; its folder is gone";
}

json item_to_json(const PruneItem& item) {
  json checkpoints = json::array();
  for (const auto& checkpoint : item.checkpoints) checkpoints.push_back(checkpoint.string());
  return {{"kind", name_of(item.kind)},
          {"run_id", item.pointer.run_id},
          {"name", item.pointer.name},
          {"run_dir", item.pointer.run_dir},
          {"state", has_records(item) ? json(name_of(item.status.state)) : json()},
          {"bytes", item.bytes},
          {"checkpoints", std::move(checkpoints)},
          {"hosts", item.hosts},
          {"left_on_hosts", item.left}};
}

json result_to_json(const PruneResult& result, std::size_t gone, PruneMode mode) {
  json items = json::array();
  json kept = json::array();
  for (const auto& item : result.deleted) items.push_back(item_to_json(item));
  for (const auto& run : result.kept) kept.push_back({{"run_id", run.run_id}, {"reason", run.reason}});
  return {{"deleted", mode == PruneMode::act},
          {"items", std::move(items)},
          {"kept", std::move(kept)},
          {"gone", gone},
          {"bytes", total_bytes(result.deleted)}};
}

std::string render_state_of(const PruneItem& item) {
  if (!has_records(item)) return "-";
  const auto good = succeeded_points(item.status);
  const bool in_part = good > 0 && good < item.status.points.size();
  return in_part ? render_succeeded_points(item.status) : words_of(item.status.state);
}

std::string render_items(const std::vector<PruneItem>& items, system_clock::time_point now) {
  if (items.empty()) return {};
  std::vector<std::vector<std::string>> rows{{"RUN", "STATE", "ENDED", "SIZE", "DELETE"}};
  for (const auto& item : items) {
    const auto end = item.status.ended.value_or(item.pointer.created);
    rows.push_back({item.pointer.run_id, render_state_of(item),
                    has_records(item) ? render_age(duration_cast<milliseconds>(now - end)) + " ago" : "-",
                    render_file_size(item.bytes), what_goes(item)});
  }
  return render_table(rows);
}

std::string summarize(const std::vector<PruneItem>& items, PruneMode mode) {
  const auto count = render_count(items.size(), "run");
  const auto is_pointer = [](const PruneItem& item) { return item.kind == PruneKind::pointer; };
  const bool only_pointers = std::ranges::all_of(items, is_pointer);
  const auto size =
      only_pointers ? std::string() : fmt::format(" ({})", render_file_size(total_bytes(items)));
  const std::string what = items.front().kind == PruneKind::checkpoints ? "checkpoints of " : "";
  if (mode == PruneMode::act)
    return only_pointers ? fmt::format("removed {} from the list", count)
                         : fmt::format("deleted {}{}{}", what, count, size);
  return fmt::format("nothing was deleted; with --yes, {}{}{} would be {}", what, count, size,
                     only_pointers ? "removed from the list" : "deleted");
}

}  // namespace

Report report_prune(const PruneResult& result, std::size_t gone, PruneMode mode,
                    system_clock::time_point now) {
  return {.schema = "ddpsubmit.prune.v1",
          .value = result_to_json(result, gone, mode),
          .text = render_items(result.deleted, now)};
}

std::vector<std::string> prune_notes(const PruneResult& result, std::size_t gone, PruneMode mode,
                                     PruneTarget target) {
  std::vector<std::string> notes;
  for (const auto& run : result.kept)
    notes.push_back(fmt::format("kept: run {}: {}", run.run_id, run.reason));
  for (const auto& item : result.deleted) {
    const auto place = fmt::format("{}/runs/{}", item.host_folder, item.pointer.run_id);
    if (!item.hosts.empty())
      notes.push_back(
          fmt::format("run {}: its folder on {} {}: {}", item.pointer.run_id, fmt::join(item.hosts, ", "),
                      mode == PruneMode::act ? "was deleted, too" : "would be deleted, too", place));
    for (const auto& left : item.left)
      notes.push_back(fmt::format("run {}: a folder stays on a host: {}; to delete it there: rm -r {}",
                                  item.pointer.run_id, left, place));
  }
  if (gone > 0)
    notes.push_back(
        fmt::format("{} in the list {} no folder; to remove {} from the list: "
                    "ddpsubmit prune --gone",
                    render_count(gone, "run"), gone == 1 ? "has" : "have", gone == 1 ? "it" : "them"));
  if (!result.deleted.empty()) notes.push_back(summarize(result.deleted, mode));
  if (result.deleted.empty() && result.kept.empty() && result.errors.empty())
    notes.emplace_back(target == PruneTarget::spare_checkpoints ? "no run has checkpoints to delete"
                                                                : "no runs match these options");
  return notes;
}

}  // namespace ddp::cli
