#include "trainer/loop/found_checkpoint.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "ddp/trainer/invalid_configuration.hpp"
#include "trainer/checkpoint/checkpoint_files.hpp"
#include "trainer/checkpoint/checkpoint_index.hpp"
#include "trainer/checkpoint/manifest_file.hpp"
#include "trainer/distributed/agreement/broadcast_text.hpp"
#include "trainer/distributed/agreement/gather_texts.hpp"
#include "trainer/loop/common_folder.hpp"
#include "trainer/loop/run_store.hpp"
#include "trainer/loop/state/shared_state.hpp"

namespace ddp::trainer {
namespace {

using std::filesystem::path;

// Rank 0 sends the other ranks an empty text if there is no checkpoint, the text of render_order() if they
// are to examine one, or kTakeOwn or kTakeOther alone.
constexpr char kExamine = '?';
constexpr char kTakeOwn = 'o';
constexpr char kTakeOther = 'a';

/// To examine the checkpoint in `folder`.
std::string render_order(const path& folder, const CheckpointIndex& index) {
  return kExamine + folder.string() + '\0' + render_checkpoint_index(index);
}

/// A checkpoint that all ranks look at together. Each function but take() is called by all of them.
class ExaminedCheckpoint {
 public:
  explicit ExaminedCheckpoint(const TrainingJob& job) : job_(job), group_(job.group) {}

  /// Checks a share of the files in `folder`; rank 0 has read `index`. What the first rank has found wrong
  /// with them, the same on all ranks; empty: nothing. Throws InvalidConfiguration.
  [[nodiscard]] std::string examine(const path& folder, CheckpointIndex index) {
    CheckpointReader files(folder, std::move(index));
    TrainingState state = files.progress();
    found_.emplace(FoundCheckpoint{std::move(state), std::move(files)});
    if (!is_seen_by_all()) return describe_deletion(folder);
    const std::vector<std::string> faults = gather_texts(find_fault(), group_);
    const auto first = std::ranges::find_if(faults, [](const auto& fault) { return !fault.empty(); });
    if (first == faults.end()) return {};
    if (is_deleted_on_rank_0()) return describe_deletion(folder);
    const auto rank = first - faults.begin();
    return rank == 0 ? *first : "rank " + std::to_string(rank) + ": " + *first;
  }

  /// The same with what rank 0 orders in the text that render_order() made.
  [[nodiscard]] std::string follow(const std::string& order) {
    const std::size_t end = order.find('\0');
    return examine(order.substr(1, end - 1), parse_checkpoint_index(std::string_view(order).substr(end + 1)));
  }

  /// What examine() has found nothing wrong with.
  [[nodiscard]] FoundCheckpoint take() { return std::move(*found_); }

 private:
  [[nodiscard]] const CheckpointReader& files() const { return *found_->files; }

  /// False when the checkpoint has been deleted since rank 0 read the index. What cannot be looked at may be
  /// there: find_fault() tells why.
  [[nodiscard]] bool is_seen_by_all() {
    const path& folder = files().folder();
    std::error_code error;
    const bool is_here =
        std::filesystem::status(folder, error).type() != std::filesystem::file_type::not_found;
    const path& run = job_.run_dir;
    const bool is_own = !run.empty() && folder.string().starts_with(run.string());
    try {
      require_seen_by_all(is_here, "the checkpoint '" + folder.string() + "'",
                          is_own ? kRunRoot : "train.checkpoint.path", group_);
    } catch (const InvalidConfiguration&) {  // on all ranks
      if (!is_deleted_on_rank_0()) throw;
      return false;
    }
    return true;
  }

  [[nodiscard]] bool is_deleted_on_rank_0() {
    return !broadcast_text(group_.rank() == 0 && files().is_deleted() ? "deleted" : "", 0, group_).empty();
  }

  [[nodiscard]] std::string find_fault() try {
    if (group_.rank() != 0) files().require_same_manifest();
    files().verify(files().share_of_files(group_.rank(), group_.size()));
    found_->state.rng = files().load_rng();
    found_->state.extra = files().load_extra();
    return {};
  } catch (const std::exception& error) {
    return error.what();
  }

  const TrainingJob& job_;
  ProcessGroup& group_;
  std::optional<FoundCheckpoint> found_;
};

/// Of rank 0. What it cannot read itself no other rank looks at.
std::string order_examination(const path& folder, ExaminedCheckpoint& checkpoint, ProcessGroup& group) {
  CheckpointIndex index;
  try {
    index = read_checkpoint_index(folder);
  } catch (const std::exception& error) {
    return error.what();
  }
  (void)broadcast_text(render_order(folder, index), 0, group);
  return checkpoint.examine(folder, std::move(index));
}

/// Of rank 0.
std::optional<FoundCheckpoint> choose(const TrainingJob& job, Reporter& reporter) {
  ExaminedCheckpoint checkpoint(job);
  const auto fault_of = [&](const path& folder) { return order_examination(folder, checkpoint, job.group); };
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
      (void)checkpoint.follow(order);
      continue;
    }
    FoundCheckpoint found = checkpoint.take();
    found.state.of_another_run = order.front() == kTakeOther;
    return found;
  }
}

/// Of rank 0, for all ranks.
std::optional<TrainingState> read_whole(const TrainingJob& job, Reporter& reporter) {
  std::optional<TrainingState> state;
  const auto fault_of = [&state](const path& folder) { return load_or_fault(folder, state); };
  const auto chosen = choose_checkpoint_to_resume(job, reporter, fault_of);
  if (!chosen) return std::nullopt;
  state->best = chosen->best;
  state->of_another_run = chosen->of_another_run;
  return state;
}

}  // namespace

std::optional<FoundCheckpoint> find_checkpoint_to_resume(const TrainingJob& job, Held parameters,
                                                         Reporter& reporter) {
  const bool chooses = job.group.rank() == 0;
  if (parameters == Held::share) return chooses ? choose(job, reporter) : follow(job);
  auto state = share_state(chooses ? read_whole(job, reporter) : std::nullopt, job.group);
  if (!state) return std::nullopt;
  return FoundCheckpoint{.state = std::move(*state)};
}

}  // namespace ddp::trainer
