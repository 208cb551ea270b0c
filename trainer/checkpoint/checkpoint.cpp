#include "trainer/checkpoint/checkpoint.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "jobenv/record/durable_file.hpp"
#include "trainer/checkpoint/checkpoint_files.hpp"
#include "trainer/checkpoint/checkpoint_name.hpp"

namespace ddp::trainer {
namespace {

using std::filesystem::path;
using Kind = CheckpointName::Kind;

void check(const Expected<void>& done) {
  if (!done) throw std::runtime_error(done.error().message);
}

/// All checkpoint folders, the newest first.
std::vector<CheckpointName> list_checkpoints(const path& folder) {
  std::vector<CheckpointName> names;
  if (!std::filesystem::exists(folder)) return names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (const auto name = parse_checkpoint_name(entry.path().filename())) names.push_back(*name);
  }
  std::sort(names.rbegin(), names.rend());
  return names;
}

/// Makes `folder` and what leads to it, each name durable.
void create_folders(const path& folder) {
  if (folder.empty() || std::filesystem::is_directory(folder)) return;
  create_folders(folder.parent_path());
  std::filesystem::create_directory(folder);
  check(sync_folder(folder.has_parent_path() ? folder.parent_path() : "."));
}

/// What earlier writers left unfinished. A higher attempt may be writing right now: its folders are left
/// alone.
void sweep_incomplete(const path& folder, int attempt) {
  for (const CheckpointName& name : list_checkpoints(folder)) {
    if (name.kind == Kind::incomplete && name.attempt <= attempt) {
      std::filesystem::remove_all(folder / render_checkpoint_name(name));
    }
  }
}

/// Gives `incomplete` its final name. Another checkpoint of that name is moved aside first, never deleted
/// first: at each moment one of the two is there to load.
void commit(const path& folder, CheckpointName name) {
  const path final = folder / render_checkpoint_name(name);
  name.kind = Kind::incomplete;
  const path incomplete = folder / render_checkpoint_name(name);
  name.kind = Kind::replaced;
  const path replaced = folder / render_checkpoint_name(name);
  if (std::filesystem::exists(final)) {
    std::filesystem::remove_all(replaced);
    std::filesystem::rename(final, replaced);
  }
  std::filesystem::rename(incomplete, final);
  check(sync_folder(folder));
}

/// LATEST is for people and other programs; load_newest_valid looks at the folders themselves.
void point_latest(const path& folder, const CheckpointName& name) {
  check(save_file(folder / "LATEST", render_checkpoint_name(name) + "\n", Durability::synced));
}

/// Deletes what is older than the newest `keep` complete checkpoints up to this attempt's; those of a higher
/// one are not this writer's. `newest` was just written and always
/// stays, so the last valid one is never deleted; one that looks damaged, or cannot be looked at just now, is
/// not counted.
void delete_old(const path& folder, const CheckpointName& newest, std::int64_t keep) {
  std::int64_t kept = 1;
  for (const CheckpointName& name : list_checkpoints(folder)) {
    if (name == newest || name.kind == Kind::incomplete || name.attempt > newest.attempt) continue;
    const path old = folder / render_checkpoint_name(name);
    const bool replaced_by_newest = name.attempt == newest.attempt && name.step == newest.step;
    if (replaced_by_newest || kept >= keep) {
      std::filesystem::remove_all(old);
    } else if (looks_complete(old)) {
      ++kept;
    }
  }
}

}  // namespace

CheckpointStore::CheckpointStore(path folder, int attempt, std::function<int()> highest_claim)
    : folder_(std::move(folder)), attempt_(attempt), highest_claim_(std::move(highest_claim)) {}

void CheckpointStore::save(const TrainingState& state, std::int64_t keep) {
  create_folders(folder_);
  sweep_incomplete(folder_, attempt_);
  const CheckpointName name{attempt_, state.step, Kind::committed};
  const path incomplete = folder_ / render_checkpoint_name({attempt_, state.step, Kind::incomplete});
  try {
    save_checkpoint_files(incomplete, state);
    check(sync_folder(incomplete));
    check_claim(state.step);
    commit(folder_, name);
  } catch (...) {
    std::error_code ignored;  // what cannot be removed now is swept later; the first error counts
    std::filesystem::remove_all(incomplete, ignored);
    throw;
  }
  if (highest_claim_() > attempt_) return;  // LATEST never turns back
  point_latest(folder_, name);
  delete_old(folder_, name, keep);
}

void CheckpointStore::check_claim(std::uint64_t step) const {
  const int highest = highest_claim_();
  if (highest <= attempt_) return;
  throw AttemptSuperseded("attempt " + std::to_string(attempt_) + " does not commit its checkpoint of step " +
                          std::to_string(step) + ": attempt " + std::to_string(highest) + " has taken over");
}

std::optional<TrainingState> CheckpointStore::load_newest_valid(
    const std::function<void(const std::string&)>& on_invalid) const {
  std::string faults;
  for (const CheckpointName& name : list_checkpoints(folder_)) {
    if (name.kind == Kind::incomplete) continue;
    try {
      return load_checkpoint_files(folder_ / render_checkpoint_name(name));
    } catch (const std::exception& error) {
      const std::string fault = render_checkpoint_name(name) + " cannot be used: " + error.what();
      on_invalid(fault);
      faults += "\n  " + fault;
    }
  }
  if (faults.empty()) return std::nullopt;
  throw NoValidCheckpoint("no valid checkpoint in '" + folder_.string() + "':" + faults +
                          "\nrepair one of them, or move the folder away to start from the beginning");
}

}  // namespace ddp::trainer
