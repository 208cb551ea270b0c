// A trainer that does not train. It reads the configuration, the environment and the page as ddptrain does,
// prints and records steps, writes and finds checkpoints, and heeds stops; where ddptrain computes, it
// sleeps. Without LibTorch it starts in milliseconds, and leaves the CPU to other tests. Its ranks do not
// know of each other: they end together because the agent ends them.

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>

#include "ddp/jobenv/job_environment.hpp"
#include "ddp/jobenv/rank_contract.hpp"
#include "ddpsubmit.h"
#include "jobenv/config/diagnostic.hpp"
#include "jobenv/record/checkpoint_name.hpp"
#include "jobenv/record/files/crc32c.hpp"
#include "jobenv/record/files/durable_file.hpp"
#include "jobenv/record/metrics/metrics_record.hpp"
#include "jobenv/record/run_folder.hpp"
#include "trainer/app/stop_signals.hpp"
#include "trainer/checkpoint/format/checkpoint_state.hpp"
#include "trainer/checkpoint/format/file_names.hpp"
#include "trainer/checkpoint/format/manifest.hpp"
#include "trainer/config/load_train_config.hpp"
#include "trainer/config/schema_json.hpp"

namespace {

using namespace ddp;
using namespace ddp::trainer;
using namespace std::chrono_literals;
using std::filesystem::path;

constexpr auto kStep = 10ms;
constexpr std::int64_t kSamples = 60'000;  // of a dataset that does not say how many it has
constexpr std::string_view kNoTensors("\2\0\0\0\0\0\0\0{}", 10);  // of the safetensors format

void require(const Expected<void>& done) {
  if (done) return;
  std::fputs(render_diagnostic(done.error()).c_str(), stderr);
  std::_Exit(static_cast<int>(done.error().code));
}

class StandIn {
 public:
  StandIn(const JobEnvironment& job, const TrainConfig& config, ddpsubmit_page* page)
      : job_(job), config_(config), page_(page), folder_(job.run_dir) {
    const auto& options = config.data.source.options;
    const auto samples = options.find("samples");
    const auto* const told = samples == options.end() ? nullptr : std::get_if<std::int64_t>(&samples->second);
    batch_ = config.data.batch_size * job.world_size * config.gradient_accumulation_steps;
    steps_of_epoch_ = std::max<std::int64_t>(1, ((told ? *told : kSamples) + batch_ - 1) / batch_);
    total_ = config.max_steps ? *config.max_steps : *config.epochs * steps_of_epoch_;
  }

  int run() {
    resume();
    const auto first = step_ + 1;
    while (step_ < total_) {
      std::this_thread::sleep_for(kStep);
      ++step_;
      ddpsubmit_step(page_, static_cast<std::uint64_t>(step_), static_cast<std::uint64_t>(total_));
      const bool stops = ddpsubmit_should_stop(page_) != 0;
      if (step_ == first) record({.kind = std::string(metrics_kind::kFirstStep)});
      if (step_ % config_.log.every_steps == 0 || step_ == total_) report();
      if (stops || step_ == total_ || is_due_for_checkpoint()) save();
      if (stops) return kExitStopped;
    }
    ddpsubmit_phase(page_, "done");
    return 0;
  }

 private:
  [[nodiscard]] bool is_writer() const { return job_.rank == 0 && !job_.run_dir.empty(); }
  [[nodiscard]] std::int64_t epochs_done() const { return step_ / steps_of_epoch_; }

  // Rank 0 may have written a checkpoint of this attempt before another rank looks.
  void resume() {
    if (job_.run_dir.empty() || config_.checkpoint.resume == Resume::never) return;
    const auto names = list_checkpoints(folder_.checkpoints());
    if (!names) return;
    const auto newest = std::ranges::find_if(*names, [&](const CheckpointName& name) {
      return name.kind == CheckpointName::Kind::committed && name.attempt < job_.attempt;
    });
    if (newest == names->end()) return;
    step_ = static_cast<std::int64_t>(newest->step);
    if (job_.rank == 0) print("resumed from step " + std::to_string(step_));
  }

  [[nodiscard]] bool is_due_for_checkpoint() const {
    const auto& every = config_.checkpoint;
    return (every.every_steps && step_ % *every.every_steps == 0) ||
           (every.every_epochs && step_ % (*every.every_epochs * steps_of_epoch_) == 0);
  }

  void print(const std::string& line) {
    std::puts(line.c_str());
    std::fflush(stdout);
  }

  void report() {
    if (job_.rank != 0) return;
    const double loss = 2.0 / static_cast<double>(step_ + 1);
    const double rate = static_cast<double>(batch_) / std::chrono::duration<double>(kStep).count();
    char line[160];
    std::snprintf(line, sizeof line, "step %lld/%lld  epoch %lld  loss %.4f  accuracy %.4f  %.0f samples/s",
                  static_cast<long long>(step_), static_cast<long long>(total_),
                  static_cast<long long>(epochs_done() + 1), loss, 0.5, rate);
    print(line);
    record({.kind = std::string(metrics_kind::kTrain),
            .loss = loss,
            .accuracy = 0.5,
            .total_steps = total_,
            .samples_per_second = rate,
            .step_ms_p50 = 10});
  }

  void record(MetricsRecord record) {
    if (!is_writer()) return;
    record.attempt = job_.attempt;
    record.step = step_;
    record.epoch = epochs_done() + 1;
    record.time = std::chrono::system_clock::now();
    std::ofstream(folder_.metrics(), std::ios::app) << render_metrics_record(record) + '\n' << std::flush;
  }

  void save() {
    ddpsubmit_phase(page_, "checkpoint");
    if (!is_writer()) return;
    CheckpointName name{.attempt = job_.attempt, .step = static_cast<std::uint64_t>(step_)};
    const path committed = folder_.checkpoints() / render_checkpoint_name(name);
    name.kind = CheckpointName::Kind::incomplete;
    const path incomplete = folder_.checkpoints() / render_checkpoint_name(name);
    std::filesystem::create_directories(incomplete);
    Manifest manifest;
    for (const TensorPart part : {TensorPart::model, TensorPart::optimizer, TensorPart::rng})
      add_file(incomplete, render_tensor_file_name({part}), kNoTensors, manifest);
    add_file(incomplete, kStateFile, state(), manifest);
    require(save_file(incomplete / kManifestFile, render_manifest(manifest), Durability::visible));
    std::filesystem::rename(incomplete, committed);
    require(save_file(folder_.checkpoints() / "LATEST", committed.filename().string() + '\n',
                      Durability::visible));
    drop_old_checkpoints();
    record({.kind = std::string(metrics_kind::kCheckpoint), .bytes = 100, .stall_ms = 0, .write_ms = 1});
  }

  void add_file(const path& folder, const std::string& name, std::string_view bytes, Manifest& manifest) {
    require(save_file(folder / name, bytes, Durability::visible));
    manifest.files[name] = {bytes.size(), crc32c(std::as_bytes(std::span(bytes)))};
  }

  [[nodiscard]] std::string state() const {
    return render_checkpoint_state({.step = static_cast<std::uint64_t>(step_),
                                    .epoch = static_cast<std::uint64_t>(epochs_done()),
                                    .position = static_cast<std::uint64_t>(step_ % steps_of_epoch_),
                                    .world_size = job_.world_size,
                                    .shards = job_.world_size,
                                    .batch_size = config_.data.batch_size,
                                    .total_steps = total_,
                                    .libtorch = "none"});
  }

  void drop_old_checkpoints() {
    const auto names = list_checkpoints(folder_.checkpoints());
    if (!names || config_.checkpoint.keep == 0) return;
    for (auto at = static_cast<std::size_t>(config_.checkpoint.keep); at < names->size(); ++at)
      std::filesystem::remove_all(folder_.checkpoints() / render_checkpoint_name((*names)[at]));
  }

  const JobEnvironment& job_;
  const TrainConfig& config_;
  ddpsubmit_page* page_;
  RunFolder folder_;
  std::int64_t batch_ = 0, steps_of_epoch_ = 0, total_ = 0, step_ = 0;
};

int refuse(const Errors& errors) {
  std::fputs(render_diagnostics(errors).c_str(), stderr);
  return static_cast<int>(errors.front().code);
}

}  // namespace

// stand_in_trainer --components | --config FILE [--check-config]
int main(int argc, char** argv) {
  const std::vector<std::string_view> arguments(argv + 1, argv + argc);
  if (arguments.size() == 1 && arguments[0] == "--components") {
    std::puts(render_schemas(bundled_schemas()).c_str());
    return 0;
  }
  if (arguments.size() < 2 || arguments[0] != "--config") return static_cast<int>(ExitCode::usage);
  const EnvMap env = EnvMap::capture();
  const auto job = JobEnvironment::from(env);
  if (!job) return refuse({job.error()});
  const auto config = load_train_config(arguments[1], job->world_size, env.get("HOME").value_or(""));
  if (!config) return refuse(config.error());
  if (arguments.size() > 2) return 0;
  leave_stop_signals_to_agent();
  return StandIn(*job, *config, ddpsubmit_open()).run();
}
