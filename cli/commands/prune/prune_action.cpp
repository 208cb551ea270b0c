#include "cli/commands/prune/prune_action.hpp"

#include <algorithm>
#include <set>

#include "cli/store/run_removal.hpp"
#include "cli/store/spare_checkpoints.hpp"
#include "cli/store/state/recorded_status.hpp"
#include "cli/store/submission_lock.hpp"

namespace ddp::cli {
namespace {

/// The submissions that the state was found of.
bool is_same_submission(const RunStatus& a, const RunStatus& b) {
  return a.token == b.token && a.newest_attempt() == b.newest_attempt() &&
         std::ranges::equal(a.points, b.points, is_same_submission);
}

/// Keeps others from starting the run again; the error says that somebody has.
Expected<FileDescriptor> lock_for_prune(const PruneItem& item) {
  auto lock = lock_submission(RunFolder(item.pointer.run_dir));
  if (!lock && lock.error().code == ExitCode::still_running)
    return fail(ExitCode::still_running, "another ddpsubmit is starting it again");
  if (!lock && lock.error().code == ExitCode::not_found) return lock;
  if (!is_same_submission(load_recorded_status(item.pointer), item.status))
    return fail(ExitCode::still_running, "it was started again");
  return lock ? std::move(lock) : FileDescriptor();  // on a file system without locks, no run starts again
}

class Prune {
 public:
  Prune(const PrunePlan& plan, const RunStore& store, const RemoveCopies& remove_copies)
      : plan_(plan), store_(store), remove_copies_(remove_copies), uses_(plan.uses) {}

  PruneResult run() {
    if (auto added = add_new_uses(); !added) {
      tell(std::move(added.error()));
      return std::move(result_);
    }
    std::vector<const PruneItem*> begun;
    for (const auto& item : plan_.items) {
      if (item.kind != PruneKind::run || begin(item)) begun.push_back(&item);
    }
    for (const auto* item : begun) finish(*item);
    return std::move(result_);
  }

 private:
  /// Runs that were started after the plan was made may need what it names.
  Expected<void> add_new_uses() {
    std::set<std::string> known;
    for (const auto& uses : uses_) known.insert(uses.run_id());
    const auto all = store_.load_all();
    if (!all) return tl::unexpected(all.error());
    for (const auto& run : *all)
      if (!known.contains(run.run_id)) uses_.push_back(RunUses::load(run));
    return {};
  }

  [[nodiscard]] std::optional<std::string> reason_to_keep_now(const PruneItem& item) const {
    return reason_to_keep(item.pointer, uses_, [this](const std::string& id) { return begun_.contains(id); });
  }

  bool begin(const PruneItem& item) {
    if (auto reason = reason_to_keep_now(item)) return keep(item, *reason);
    const auto lock = lock_for_prune(item);
    if (!lock) return keep(item, lock.error().message);
    if (auto renamed = begin_removal(item.pointer); !renamed) return tell(std::move(renamed.error()));
    begun_.insert(item.pointer.run_id);
    return true;
  }

  void finish(PruneItem item) {
    if (item.kind == PruneKind::checkpoints) return delete_checkpoints(item);
    if (!item.hosts.empty()) remove_from_hosts(item);
    auto removed = item.kind == PruneKind::pointer ? remove_pointer(item.pointer, store_)
                                                   : finish_removal(item.pointer, store_);
    if (removed) return result_.deleted.push_back(item);
    auto& hint = removed.error().hint;
    if (item.kind != PruneKind::pointer)
      hint += (hint.empty() ? "run " : "; run ") + item.pointer.run_id +
              " is deleted in part; repeat the prune to finish it";
    tell(std::move(removed.error()));
  }

  void remove_from_hosts(PruneItem& item) {
    auto removed = remove_copies_(item.pointer, RunFolder(removal_place(item.pointer)));
    item.hosts = std::move(removed.from);
    for (const auto& error : removed.errors) item.left.push_back(error.message);
  }

  void delete_checkpoints(const PruneItem& item) {
    if (auto reason = reason_to_keep_now(item)) return void(keep(item, *reason));
    const auto lock = lock_for_prune(item);
    if (!lock) return void(keep(item, lock.error().message));
    for (const auto& checkpoint : item.checkpoints) {
      if (auto removed = remove_checkpoint(checkpoint); !removed)
        return void(tell(std::move(removed.error())));
    }
    result_.deleted.push_back(item);
  }

  bool keep(const PruneItem& item, const std::string& reason) {
    result_.kept.push_back({item.pointer.run_id, reason});
    return false;
  }

  bool tell(Error error) {
    result_.errors.push_back(std::move(error));
    return false;
  }

  const PrunePlan& plan_;
  const RunStore& store_;
  const RemoveCopies& remove_copies_;
  std::vector<RunUses> uses_;
  std::set<std::string> begun_;
  PruneResult result_;
};

}  // namespace

PruneResult carry_out(const PrunePlan& plan, const RunStore& store, const RemoveCopies& remove_copies) {
  return Prune(plan, store, remove_copies).run();
}

}  // namespace ddp::cli
