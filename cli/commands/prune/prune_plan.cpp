#include "cli/commands/prune/prune_plan.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include "cli/commands/prune/succeeded_points.hpp"
#include "cli/launch/state/resolve_status.hpp"
#include "cli/spec/setup_lines.hpp"
#include "cli/store/disk_usage.hpp"
#include "cli/store/run_removal.hpp"
#include "cli/store/spare_checkpoints.hpp"
#include "cli/store/state/run_records.hpp"
#include "jobenv/config/yaml_text.hpp"

namespace ddp::cli {
namespace {

using std::chrono::system_clock;

/// A folder that cannot be looked at is not gone.
bool has_folder(const RunPointer& run) {
  struct stat found {};
  return lstat(run.run_dir.c_str(), &found) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

std::string reason_of_open(const RunStatus& status) {
  std::string reason = "it is " + words_of(status.state);
  if (status.state == RunState::unknown) reason = "its state is unknown";
  return status.message.empty() ? reason : reason + ": " + status.message;
}

constexpr const char* kTooNew = "it is too new (--older-than)";

std::string reason_of_results(const RunPointer& run, const RunStatus& status) {
  return fmt::format("{}; to delete it: ddpsubmit prune {} --yes", render_succeeded_points(status),
                     run.run_id);
}

/// The hosts to which the run was copied.
void add_hosts(const RunFolder& folder, PruneItem& item) {
  const auto plan = load_run_plan(folder);
  if (!plan || plan->shared_folder) return;
  std::set<std::string> hosts(plan->hosts.begin(), plan->hosts.end());
  for (const auto& attempt : item.status.attempts) hosts.insert(attempt.hosts.begin(), attempt.hosts.end());
  item.hosts.assign(hosts.begin(), hosts.end());
  item.host_folder = "~/.ddpsubmit";
  const auto spec = load_yaml(folder.spec(), folder.spec(), Origin::config_file, kTextKeys);
  if (!spec) return;
  if (const auto* place = spec->find_path("ssh.push_folder")) item.host_folder = place->value.scalar;
}

std::vector<std::filesystem::path> spare_checkpoints_of(const PruneItem& item) {
  const RunFolder folder(item.pointer.run_dir);
  auto spare = find_spare_checkpoints(folder);
  for (int point = 0; point < std::ssize(item.status.points); ++point) {
    const auto more = find_spare_checkpoints(folder.point_folder(point));
    spare.insert(spare.end(), more.begin(), more.end());
  }
  return spare;
}

class Planner {
 public:
  Planner(const PruneRules& rules, Context& context)
      : rules_(rules), resolver_(context.seams()), now_(context.system.clock.now()) {}

  PrunePlan plan(const std::vector<RunPointer>& all) {
    std::vector<RunPointer> present;
    std::vector<RunPointer> gone;
    for (const auto& run : all) {
      if (has_folder(run))
        present.push_back(run);
      else if (!may_be_meant(run))
        continue;
      else if (is_being_removed(run))
        add_unfinished(run);
      else
        gone.push_back(run);
    }
    add_gone(gone);
    if (rules_.target == PruneTarget::none) {
      for (const auto& run : present) skip(run, "its folder still exists");
      return std::move(plan_);
    }
    add_ended(choose(present));
    for (const auto& run : plan_.items.empty() ? std::vector<RunPointer>() : present)
      plan_.uses.push_back(RunUses::load(run));
    keep_needed();
    return std::move(plan_);
  }

 private:
  [[nodiscard]] bool may_be_meant(const RunPointer& run) const {
    return rules_.named.empty() || rules_.named.contains(run.run_id);
  }

  /// Who has named a run is told why it stays.
  void skip(const RunPointer& run, std::string reason) {
    if (rules_.named.contains(run.run_id)) plan_.kept.push_back({run.run_id, std::move(reason)});
  }

  void add_unfinished(const RunPointer& run) {
    plan_.items.push_back(
        {.kind = PruneKind::unfinished, .pointer = run, .bytes = disk_usage(removal_place(run))});
    add_hosts(RunFolder(removal_place(run)), plan_.items.back());
  }

  /// The folder of a job that still runs may be on a disk that is not there now.
  void add_gone(const std::vector<RunPointer>& runs) {
    plan_.gone = runs.size();
    if (!rules_.forgets_gone) return;
    const auto states = resolver_.resolve(runs);
    for (std::size_t index = 0; index < runs.size(); ++index) {
      const auto& status = states[index];
      if (!rules_.filter.wants_name_of(runs[index]) || !is_old(runs[index].created)) continue;
      if (status.unanswered || (!is_final(status.state) && status.state != RunState::unknown)) {
        plan_.kept.push_back({runs[index].run_id, reason_of_open(status)});
        continue;
      }
      plan_.items.push_back({.kind = PruneKind::pointer, .pointer = runs[index], .status = status});
      --plan_.gone;
    }
  }

  /// Uses only the pointers, so that the folders of other runs are not read. `runs` is sorted, newest first.
  [[nodiscard]] std::vector<RunPointer> choose(std::vector<RunPointer> runs) {
    std::map<std::string, std::int64_t> seen;
    std::erase_if(runs, [&](const RunPointer& run) {
      const bool is_new = rules_.keep && ++seen[run.name] <= *rules_.keep;
      if (!may_be_meant(run)) return true;
      const auto reason = reason_to_skip(run, is_new ? Age::newest : Age::older);
      if (!reason.empty()) skip(run, reason);
      return !reason.empty();
    });
    return runs;
  }

  /// Whether the run is among the newest of its name.
  enum class Age { newest, older };

  [[nodiscard]] std::string reason_to_skip(const RunPointer& run, Age age) const {
    if (age == Age::newest) return "it is among the newest runs of its name (--keep)";
    if (!rules_.filter.wants_name_of(run))
      return "its name does not contain '" + rules_.filter.name_part + "'";
    return is_old(run.created) ? "" : kTooNew;
  }

  [[nodiscard]] bool is_old(system_clock::time_point time) const {
    return !rules_.older_than || std::chrono::floor<std::chrono::seconds>(now_ - time) > *rules_.older_than;
  }

  void add_ended(const std::vector<RunPointer>& runs) {
    const auto states = resolver_.resolve(runs);
    for (std::size_t index = 0; index < runs.size(); ++index) add(runs[index], states[index]);
  }

  void add(const RunPointer& run, const RunStatus& status) {
    if (!rules_.filter.wants_state_of(status)) return skip(run, reason_of_open(status));
    if (!is_final(status.state)) return plan_.kept.push_back({run.run_id, reason_of_open(status)});
    if (!is_old(status.ended.value_or(run.created))) return skip(run, kTooNew);
    if (would_delete_results(status))
      return plan_.kept.push_back({run.run_id, reason_of_results(run, status)});
    PruneItem item{.pointer = run, .status = status};
    if (auto checked = check_run_folder(run); !checked)
      return plan_.kept.push_back({run.run_id, checked.error().message});
    if (rules_.larger_than || rules_.target == PruneTarget::run_folders) item.bytes = disk_usage(run.run_dir);
    if (rules_.larger_than && item.bytes <= *rules_.larger_than)
      return skip(run, "its folder is not that large (--larger-than)");
    if (rules_.target == PruneTarget::spare_checkpoints) return add_checkpoints(std::move(item));
    add_hosts(RunFolder(item.pointer.run_dir), item);
    plan_.items.push_back(std::move(item));
  }

  void add_checkpoints(PruneItem item) {
    item.kind = PruneKind::checkpoints;
    item.checkpoints = spare_checkpoints_of(item);
    item.bytes = 0;
    for (const auto& checkpoint : item.checkpoints) item.bytes += disk_usage(checkpoint);
    if (item.checkpoints.empty()) return skip(item.pointer, "it has no checkpoints to delete");
    plan_.items.push_back(std::move(item));
  }

  /// A sweep has failed as a whole only if no point succeeded: the results of the others may be needed.
  [[nodiscard]] bool would_delete_results(const RunStatus& status) const {
    const auto& states = rules_.filter.states;
    return rules_.target == PruneTarget::run_folders && !states.empty() &&
           !states.contains(RunState::succeeded) && succeeded_points(status) > 0;
  }

  /// Each run that stays may need another one.
  void keep_needed() {
    std::set<std::string> deleted;
    for (const auto& item : plan_.items)
      if (item.kind == PruneKind::run) deleted.insert(item.pointer.run_id);
    const auto is_deleted = [&deleted](const std::string& id) { return deleted.contains(id); };
    for (std::size_t before = plan_.items.size() + 1; plan_.items.size() != before;) {
      before = plan_.items.size();
      std::erase_if(plan_.items, [&](const PruneItem& item) {
        if (item.kind != PruneKind::run && item.kind != PruneKind::checkpoints) return false;
        const auto reason = reason_to_keep(item.pointer, plan_.uses, is_deleted);
        if (reason) plan_.kept.push_back({item.pointer.run_id, *reason});
        if (reason) deleted.erase(item.pointer.run_id);
        return reason.has_value();
      });
    }
  }

  const PruneRules& rules_;
  StatusResolver resolver_;
  system_clock::time_point now_;
  PrunePlan plan_;
};

}  // namespace

std::string_view name_of(PruneKind kind) {
  switch (kind) {
    case PruneKind::run:
      return "run";
    case PruneKind::checkpoints:
      return "checkpoints";
    case PruneKind::unfinished:
      return "unfinished";
    case PruneKind::pointer:
      break;
  }
  return "pointer";
}

Expected<PrunePlan> plan_prune(const PruneRules& rules, Context& context) {
  const auto store = RunStore::open(context.environment);
  if (!store) return tl::unexpected(store.error());
  const auto all = store->load_all();
  if (!all) return tl::unexpected(all.error());
  return Planner(rules, context).plan(*all);
}

}  // namespace ddp::cli
