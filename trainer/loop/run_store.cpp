#include "trainer/loop/run_store.hpp"

#include <filesystem>
#include <stdexcept>
#include <string>

#include "jobenv/record/run_folder.hpp"

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

std::optional<TrainingState> read_checkpoint_to_resume(const TrainingJob& job, Reporter& reporter) {
  const auto passed_over = [&reporter](const std::string& fault) { reporter.note(fault); };
  if (reads_own(job.config) && !job.run_dir.empty()) {
    auto own = open_run_store(job).load_newest_valid(passed_over);
    if (own) return own;
  }
  const auto& path = job.config.checkpoint.path;
  if (!path) return std::nullopt;
  TrainingState other = load_checkpoint(*path);
  other.of_another_run = true;
  return other;
}

}  // namespace ddp::trainer
