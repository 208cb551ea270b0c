#include "trainer/loop/run_store.hpp"

#include <stdexcept>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "jobenv/record/run_folder.hpp"
#include "trainer/checkpoint/sharded_saver.hpp"

namespace ddp::trainer {
namespace {

bool reads_own(const TrainConfig& config) {
  return config.mode == Mode::evaluate ? !config.checkpoint.path
                                       : config.checkpoint.resume == Resume::automatic;
}

}  // namespace

CheckpointStore open_run_store(const TrainingJob& job) {
  const RunFolder folder(job.run_dir);
  const int attempt = job.environment.attempt;
  return CheckpointStore(folder.checkpoints(), attempt, [folder, attempt] {
    if (!std::filesystem::exists(folder.attempts())) return attempt;  // a folder that no head has claimed
    const auto highest = folder.highest_attempt();
    if (!highest) throw std::runtime_error(highest.error().message);
    return *highest;
  });
}

std::unique_ptr<CheckpointSaver> make_run_saver(const TrainingJob& job, const Strategy& strategy) {
  const int rank = job.group.rank();
  const int writers = strategy.checkpoint_writers();
  if (rank >= writers) return nullptr;
  if (strategy.parameters_held() == Held::all) return std::make_unique<WholeSaver>(open_run_store(job));
  // The store that has joined the ranks. The training does not use it any more, but for NCCL, which looks for
  // keys from a thread of its own.
  auto store = c10::make_intrusive<c10d::PrefixStore>("checkpoints", job.group.c10d_group()->getStore());
  return std::make_unique<ShardedSaver>(open_run_store(job), std::move(store), rank, writers);
}

std::optional<ChosenCheckpoint> choose_checkpoint_to_resume(
    const TrainingJob& job, Reporter& reporter,
    const std::function<std::string(const std::filesystem::path&)>& fault_of) {
  const auto passed_over = [&reporter](const std::string& fault) { reporter.note(fault); };
  if (reads_own(job.config) && !job.run_dir.empty()) {
    const CheckpointStore own = open_run_store(job);
    if (own.find_newest_valid(fault_of, passed_over))
      return ChosenCheckpoint{.best = own.load_best_score(passed_over)};
  }
  const auto& path = job.config.checkpoint.path;
  if (!path) return std::nullopt;
  (void)find_valid_checkpoint(*path, fault_of);
  return ChosenCheckpoint{.of_another_run = true};
}

}  // namespace ddp::trainer
