#include "trainer/checkpoint/checkpoint.hpp"

#include <sys/statvfs.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <utility>

#include "jobenv/record/checkpoint_name.hpp"
#include "jobenv/record/files/durable_file.hpp"
#include "jobenv/record/latest_checkpoint.hpp"
#include "trainer/checkpoint/best_checkpoint.hpp"
#include "trainer/checkpoint/checkpoint_files.hpp"
#include "trainer/checkpoint/format/file_names.hpp"

namespace ddp::trainer {
namespace {

using std::filesystem::path;
using Kind = CheckpointName::Kind;

void check(const Expected<void>& done) {
  if (!done) throw std::runtime_error(done.error().message);
}

/// What cannot be listed is no empty folder.
std::vector<CheckpointName> list_all(const path& folder) {
  auto names = list_checkpoints(folder);
  if (!names) throw std::runtime_error(names.error().message);
  return std::move(*names);
}

/// Makes `folder` and what leads to it, each name durable.
void create_folders(const path& folder) {
  if (folder.empty() || std::filesystem::is_directory(folder)) return;
  create_folders(folder.parent_path());
  std::filesystem::create_directory(folder);
  check(sync_folder(folder.has_parent_path() ? folder.parent_path() : "."));
}

std::uint64_t free_bytes_at(const path& folder) {
  struct statvfs disk {};
  if (::statvfs(folder.c_str(), &disk) != 0) return std::numeric_limits<std::uint64_t>::max();
  return static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize;
}

std::string render_mib(std::uint64_t bytes) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f MiB", static_cast<double>(bytes) / (1 << 20));
  return text.data();
}

/// A disk that is known to be too full is not filled up.
void check_room(const path& folder, std::uint64_t needed, std::uint64_t free) {
  if (free >= needed) return;
  throw std::runtime_error("a checkpoint of " + render_mib(needed) + " does not fit into '" +
                           folder.string() + "': " + render_mib(free) +
                           " are free; free disk space, or lower train.checkpoint.keep");
}

/// What earlier writers left unfinished, be it written or deleted. A higher attempt may be writing right now:
/// its folders are left alone.
void sweep_unfinished(const path& folder, int attempt) {
  for (const CheckpointName& name : list_all(folder)) {
    if (name.kind < Kind::replaced && name.attempt <= attempt) {
      std::filesystem::remove_all(folder / render_checkpoint_name(name));
    }
  }
}

path place_of(const path& folder, CheckpointName name, Kind kind) {
  name.kind = kind;
  return folder / render_checkpoint_name(name);
}

/// Gives the incomplete one its final name. Another checkpoint of that name is moved aside first, never
/// deleted first: at each moment one of the two is there to load.
void commit(const path& folder, const CheckpointName& name) {
  const path final = place_of(folder, name, Kind::committed);
  const path replaced = place_of(folder, name, Kind::replaced);
  if (std::filesystem::exists(final)) {
    std::filesystem::remove_all(replaced);
    std::filesystem::rename(final, replaced);
  }
  std::filesystem::rename(place_of(folder, name, Kind::incomplete), final);
}

void point_latest(const path& folder, const CheckpointName& name) {
  check(save_file(folder / "LATEST", render_checkpoint_name(name) + "\n", Durability::synced));
}

/// What is older than the newest `keep` complete checkpoints up to this attempt's; those of a higher one are
/// not this writer's. `newest` was just written and always stays, so the last valid one is never deleted, nor
/// is the best one; one that looks damaged, or cannot be looked at just now, is not counted.
std::vector<CheckpointName> find_old(const path& folder, const CheckpointName& newest, std::int64_t keep) {
  const auto best = load_best(folder);
  std::vector<CheckpointName> old;
  std::int64_t kept = 1;
  for (const CheckpointName& name : list_all(folder)) {
    if (name == newest || name.kind < Kind::replaced || name.attempt > newest.attempt) continue;
    const bool replaced_by_newest = name.attempt == newest.attempt && name.step == newest.step;
    if (!replaced_by_newest && best && name == best->name) continue;
    if (replaced_by_newest || kept >= keep) {
      old.push_back(name);
    } else if (looks_complete(folder / render_checkpoint_name(name))) {
      ++kept;
    }
  }
  return old;
}

/// A deletion that is cut short leaves nothing that looks like a checkpoint: each loses its name first. Over
/// NFS another host may still find the files by the old name for a while: the manifest is the first to go, so
/// that a file is not missed before it.
void remove_checkpoints(const path& folder, const std::vector<CheckpointName>& names) {
  if (names.empty()) return;
  for (const CheckpointName& name : names) {
    const path removed = place_of(folder, name, Kind::removed);
    std::filesystem::remove_all(removed);  // of another kind of the same step
    std::filesystem::rename(folder / render_checkpoint_name(name), removed);
  }
  check(sync_folder(folder));
  for (const CheckpointName& name : names) {
    const path removed = place_of(folder, name, Kind::removed);
    std::filesystem::remove(removed / kManifestFile);
    std::filesystem::remove_all(removed);
  }
}

/// The one that `place` stands for, or itself. A pointer may move on between its reading and a look at what
/// it names: then it names a newer one.
path resolve(const path& place) {
  if (auto folder = find_checkpoint(place)) return *folder;
  if (auto folder = find_checkpoint(place)) return *folder;
  if (std::filesystem::is_regular_file(place))
    throw std::runtime_error("'" + place.string() + "' points to a checkpoint that does not exist");
  return place;
}

NoValidCheckpoint unusable(const path& place, const std::string& fault) {
  return NoValidCheckpoint("'" + place.string() + "' cannot be used: " + fault +
                           "\ngive a run folder, one of its checkpoints (step-NNNNNNNN-aN), or its file "
                           "LATEST or BEST");
}

path resolve_or_refuse(const path& place) try { return resolve(place); } catch (const std::exception& error) {
  throw unusable(place, error.what());
}

/// A folder with the name of a checkpoint, and nothing in it that could be lost.
bool is_only_a_name(const path& folder) {
  std::error_code error;
  return !is_checkpoint(folder) && std::filesystem::is_directory(folder, error) &&
         std::filesystem::is_empty(folder, error);
}

NoValidCheckpoint none_of(const path& folder, const std::vector<std::string>& faults) {
  std::string text = "no valid checkpoint in '" + folder.string() + "':";
  for (const std::string& fault : faults) text += (&fault == &faults.front() ? " " : "\n") + fault;
  return NoValidCheckpoint(text +
                           "\nrepair one of them, or move the folder away to start from the beginning");
}

/// Runs `tidy`; what it cannot do is a warning.
template <class Tidy>
void try_to(Tidy&& tidy, SaveOutcome& outcome) {
  try {
    tidy();
  } catch (const std::exception& error) {
    outcome.warnings.emplace_back(error.what());
  }
}

}  // namespace

CheckpointStore::CheckpointStore(path folder, int attempt, std::function<int()> highest_claim)
    : folder_(std::move(folder)), attempt_(attempt), highest_claim_(std::move(highest_claim)) {}

SaveOutcome CheckpointStore::save(const TrainingState& state, std::int64_t keep,
                                  const std::optional<BestScore>& best) {
  const auto write = [&state](const path& folder) { save_checkpoint_files(folder, state); };
  return save({.step = state.step, .bytes = size_of(state), .write = write}, {.keep = keep, .best = best});
}

SaveOutcome CheckpointStore::save(const NewCheckpoint& checkpoint, const SaveOptions& options) {
  create_folders(folder_);
  SaveOutcome outcome;
  try_to([&] { sweep_unfinished(folder_, attempt_); }, outcome);
  outcome.bytes = checkpoint.bytes;
  outcome.free_bytes = free_bytes_at(folder_);
  check_room(folder_, outcome.bytes, outcome.free_bytes);
  const CheckpointName name{attempt_, checkpoint.step, Kind::committed};
  const path incomplete = incomplete_folder(checkpoint.step);
  try {
    checkpoint.write(incomplete);
    check(sync_folder(incomplete));
    check_claim(checkpoint.step);
    commit(folder_, name);
  } catch (...) {
    std::error_code ignored;  // what cannot be removed now is swept later; the first error counts
    std::filesystem::remove_all(incomplete, ignored);
    throw;
  }
  try {
    check(sync_folder(folder_));
    if (highest_claim_() > attempt_) return outcome;  // LATEST never turns back
    point_latest(folder_, name);
    if (options.best) save_best(folder_, {name, *options.best});
  } catch (const std::exception& error) {
    throw CheckpointNotNamed(std::string("but LATEST or BEST could not be updated: ") + error.what());
  }
  try_to([&] { remove_checkpoints(folder_, find_old(folder_, name, options.keep)); }, outcome);
  return outcome;
}

path CheckpointStore::incomplete_folder(std::uint64_t step) const {
  return place_of(folder_, {attempt_, step, Kind::committed}, Kind::incomplete);
}

void CheckpointStore::pin_best(std::uint64_t step, const BestScore& best) {
  check_claim(step);
  for (const CheckpointName& name : list_all(folder_)) {
    if (name.step == step && name.kind == Kind::committed && name.attempt <= attempt_ &&
        is_checkpoint(folder_ / render_checkpoint_name(name)))
      return save_best(folder_, {name, best});
  }
}

void CheckpointStore::check_claim(std::uint64_t step) const {
  const int highest = highest_claim_();
  if (highest <= attempt_) return;
  throw AttemptSuperseded("attempt " + std::to_string(attempt_) + " does not commit its checkpoint of step " +
                          std::to_string(step) + ": attempt " + std::to_string(highest) + " has taken over");
}

std::optional<path> CheckpointStore::find_newest_valid(
    const std::function<std::string(const path&)>& fault_of,
    const std::function<void(const std::string&)>& on_invalid) const {
  std::vector<std::string> faults;
  for (const CheckpointName& name : list_all(folder_)) {
    path place = folder_ / render_checkpoint_name(name);
    if (name.kind < Kind::replaced) continue;
    if (is_only_a_name(place)) {
      on_invalid(place.string() + " is an empty folder and is ignored");
      continue;
    }
    const std::string fault = fault_of(place);
    if (fault.empty()) {
      std::ranges::for_each(faults, on_invalid);
      return place;
    }
    faults.push_back(render_checkpoint_name(name) + " cannot be used: " + fault);
  }
  if (faults.empty()) return std::nullopt;
  throw none_of(folder_, faults);
}

// Without this score the run continues, and its next evaluation counts as the best.
std::optional<BestScore> CheckpointStore::load_best_score(
    const std::function<void(const std::string&)>& on_invalid) const {
  try {
    const auto best = load_best(folder_);
    if (best && looks_complete(folder_ / render_checkpoint_name(best->name))) return best->score;
  } catch (const std::exception& error) {
    on_invalid(error.what());
  }
  return std::nullopt;
}

// A run that goes on may delete the one that `place` stands for: then it has a newer one.
path find_valid_checkpoint(const path& place, const std::function<std::string(const path&)>& fault_of) {
  path folder = resolve_or_refuse(place);
  while (true) {
    const std::string fault = fault_of(folder);
    if (fault.empty()) return folder;
    path now = resolve_or_refuse(place);
    if (now == folder) throw unusable(place, fault);
    folder = std::move(now);
  }
}

}  // namespace ddp::trainer
