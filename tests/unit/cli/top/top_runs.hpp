#pragma once

#include <string>

#include "cli/top/model/top_data.hpp"

#include "tests/unit/cli/at.hpp"

namespace ddp::cli {

inline constexpr int kTopNow = 100'000;

inline KnownRun top_run(const std::string& id, RunState state, const std::string& launcher = "slurm") {
  KnownRun run;
  run.pointer = {.run_id = id,
                 .name = id.substr(0, id.rfind('-')),
                 .run_dir = "/home/ann/runs/" + id,
                 .launcher = launcher,
                 .job_id = {},
                 .created = at(kTopNow - 7200)};
  run.status.state = state;
  run.status.run_dir = run.pointer.run_dir;
  run.status.submitted = at(kTopNow - 7200);
  if (launcher == "slurm") run.status.job_id = "48151";
  return run;
}

/// One that trains: `step` of 10,000, half a second each.
inline KnownRun training_run(const std::string& id, std::uint64_t step) {
  auto run = top_run(id, RunState::running);
  run.status.started = at(kTopNow - 7000);
  AttemptStatus attempt;
  attempt.number = 0;
  attempt.hosts = {"node1", "node2"};
  attempt.started = at(kTopNow - 7000);
  run.status.attempts = {attempt};
  auto& live = run.live.emplace();
  live.total_steps = 10'000;
  live.seconds_per_step = 0.5;
  live.job_end = at(kTopNow + 14'400);
  live.summary.ranks = 4;
  live.summary.median_step = step;
  live.summary.phases = {{"step", 4}};
  for (int rank = 0; rank < 4; ++rank)
    live.ranks.push_back({.rank = rank,
                          .host = rank < 2 ? "node1" : "node2",
                          .phase = Phase::step,
                          .step = rank == 3 ? step - 40 : step,
                          .cpu_percent = 98.0 + rank,
                          .memory_bytes = (1200ULL + static_cast<std::uint64_t>(rank)) << 20,
                          .gpu_percent = rank < 2 ? std::optional<double>(91) : std::nullopt,
                          .gpu_memory_bytes = 30'000ULL << 20,
                          .process = "running"});
  run.progress = TrainingProgress{.kind = "train",
                                  .step = static_cast<std::int64_t>(step),
                                  .total_steps = 10'000,
                                  .epoch = 3,
                                  .loss = 0.0421,
                                  .samples_per_second = 12'345,
                                  .training_loss = 0.0421};
  return run;
}

/// One of each kind.
inline TopData top_data() {
  TopData data;
  const auto add = [&data](KnownRun run) { data.runs.push_back({std::move(run), true}); };
  add(training_run("mnist-1a2b3c4d", 4500));
  auto late = training_run("resnet-large-9f8e7d6c", 1000);
  late.live->job_end = at(kTopNow + 1800);
  late.requeued_at_limit = true;
  add(std::move(late));
  auto queued = top_run("bert-0c0ffee0", RunState::queued);
  queued.status.message = "Priority: jobs of higher priority are in front of it";
  queued.status.expected_start = at(kTopNow + 1200);
  add(std::move(queued));
  auto stalled = training_run("gpt-5a5a5a5a", 700);
  stalled.status.message = "suspected hang: no rank has made progress for 62 s; rank 2 on node2 is in 'load'";
  add(std::move(stalled));
  auto failed = top_run("vit-00000001", RunState::failed, "local");
  failed.status.message = "rank 1 was killed by signal 9 (SIGKILL)";
  failed.status.ended = at(kTopNow - 600);
  add(std::move(failed));
  auto done = top_run("mnist-22222222", RunState::succeeded, "local");
  done.status.message = "4 ranks finished at step 10000";
  done.status.ended = at(kTopNow - 3600);
  add(std::move(done));
  auto sweep = top_run("search-33333333", RunState::running);
  sweep.status.message = "1 running, 1 succeeded";
  sweep.sweep = SweepRecord{.keys = {"args.lr"}, .points = {}, .at_once = {}};
  add(std::move(sweep));
  return data;
}

}  // namespace ddp::cli
