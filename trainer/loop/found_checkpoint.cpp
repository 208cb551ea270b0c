#include "trainer/loop/found_checkpoint.hpp"

#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "trainer/checkpoint/manifest_file.hpp"
#include "trainer/distributed/agreement/broadcast_text.hpp"
#include "trainer/distributed/agreement/gather_texts.hpp"
#include "trainer/loop/common_folder.hpp"
#include "trainer/loop/run_store.hpp"
#include "trainer/loop/state/shared_state.hpp"

namespace ddp::trainer {
namespace {

using std::filesystem::path;

// What rank 0 tells the others: an empty text when there is no checkpoint, kExamine and a folder, or one of
// the other two characters alone.
constexpr char kExamine = '?';
constexpr char kTakeOwn = 'o';
constexpr char kTakeOther = 'a';

/// A checkpoint that all ranks look at together. Each function is called by all of them.
class ExaminedCheckpoint {
 public:
  explicit ExaminedCheckpoint(const TrainingJob& job) : job_(job), group_(job.group) {}

  /// Opens the checkpoint in `folder` and checks a share of its files. What the first rank has found wrong
  /// with them, the same on all ranks; empty: nothing. Throws InvalidConfiguration.
  [[nodiscard]] std::string examine(const path& folder) {
    require_folder(folder);
    const std::string sums = broadcast_text(group_.rank() == 0 ? load_sums(folder) : "", 0, group_);
    const std::vector<std::string> faults = gather_texts(find_fault(folder, sums), group_);
    for (std::size_t rank = 0; rank < faults.size(); ++rank) {
      if (faults[rank].empty()) continue;
      return rank == 0 ? faults[rank] : "rank " + std::to_string(rank) + ": " + faults[rank];
    }
    return {};
  }

  /// What examine() has found nothing wrong with.
  [[nodiscard]] FoundCheckpoint take() { return std::move(*found_); }

 private:
  /// What cannot be looked at may be there: find_fault() tells why.
  void require_folder(const path& folder) {
    std::error_code error;
    const bool is_here =
        std::filesystem::status(folder, error).type() != std::filesystem::file_type::not_found;
    if (broadcast_text(is_here ? "seen" : "", 0, group_).empty()) return;
    const path& run = job_.run_dir;
    const bool is_own = !run.empty() && folder.string().starts_with(run.string());
    require_seen_by_all(is_here, "the checkpoint '" + folder.string() + "'",
                        is_own ? kRunRoot : "train.checkpoint.path", group_);
  }

  /// Empty where it cannot be read: find_fault() tells why.
  [[nodiscard]] static std::string load_sums(const path& folder) try {
    return render_file_sums(load_manifest(folder).files);
  } catch (const std::exception&) {
    return {};
  }

  /// `sums`: of rank 0's manifest.
  [[nodiscard]] std::string find_fault(const path& folder, const std::string& sums) try {
    if (render_file_sums(load_manifest(folder).files) != sums && !sums.empty())
      return "'" + (folder / kManifestFile).string() + "' is not the same file that rank 0 reads";
    CheckpointReader files(folder);
    files.verify(files.share_of_files(group_.rank(), group_.size()));
    TrainingState state = files.progress();
    state.rng = files.load_rng();
    state.extra = files.load_extra();
    found_.emplace(FoundCheckpoint{std::move(state), std::move(files)});
    return {};
  } catch (const std::exception& error) {
    return error.what();
  }

  const TrainingJob& job_;
  ProcessGroup& group_;
  std::optional<FoundCheckpoint> found_;
};

/// Of rank 0.
std::optional<FoundCheckpoint> choose(const TrainingJob& job, Reporter& reporter) {
  ExaminedCheckpoint checkpoint(job);
  const auto fault_of = [&](const path& folder) {
    (void)broadcast_text(kExamine + folder.string(), 0, job.group);
    return checkpoint.examine(folder);
  };
  const auto chosen = choose_checkpoint_to_resume(job, reporter, fault_of);
  if (!chosen) {
    (void)broadcast_text("", 0, job.group);
    return std::nullopt;
  }
  (void)broadcast_text(std::string(1, chosen->of_another_run ? kTakeOther : kTakeOwn), 0, job.group);
  FoundCheckpoint found = checkpoint.take();
  found.state.best = chosen->best;
  found.state.of_another_run = chosen->of_another_run;
  return found;
}

/// Of the other ranks.
std::optional<FoundCheckpoint> follow(const TrainingJob& job) {
  ExaminedCheckpoint checkpoint(job);
  while (true) {
    const std::string order = broadcast_text("", 0, job.group);
    if (order.empty()) return std::nullopt;
    if (order.front() == kExamine) {
      (void)checkpoint.examine(order.substr(1));
      continue;
    }
    FoundCheckpoint found = checkpoint.take();
    found.state.of_another_run = order.front() == kTakeOther;
    return found;
  }
}

}  // namespace

std::optional<FoundCheckpoint> find_checkpoint_to_resume(const TrainingJob& job, Held parameters,
                                                         Reporter& reporter) {
  const bool chooses = job.group.rank() == 0;
  if (parameters == Held::share) return chooses ? choose(job, reporter) : follow(job);
  auto state = share_state(chooses ? read_checkpoint_to_resume(job, reporter) : std::nullopt, job.group);
  if (!state) return std::nullopt;
  return FoundCheckpoint{.state = std::move(*state)};
}

}  // namespace ddp::trainer
