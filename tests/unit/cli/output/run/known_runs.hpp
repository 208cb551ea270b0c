#pragma once

#include "cli/store/report/known_run.hpp"

#include "tests/unit/cli/at.hpp"

namespace ddp::cli {

inline KnownRun make_run(RunState state) {
  KnownRun run;
  run.pointer = {.run_id = "job-1",
                 .name = "job",
                 .run_dir = "/runs/job-1",
                 .launcher = "local",
                 .job_id = {},
                 .created = at(0)};
  run.status.state = state;
  run.status.started = at(10);
  run.status.ended = at(22);
  return run;
}

inline LatestCheckpoint checkpoint_at(std::uint64_t step) {
  return {.step = step, .folder = "/runs/job-1/checkpoints/c", .parameters = {}};
}

inline RunReport report_of(std::size_t attempts) {
  RunReport report;
  for (std::size_t number = 0; number < attempts; ++number)
    report.attempts.push_back({.number = static_cast<int>(number), .outcome = {}});
  report.failures = static_cast<int>(attempts) - 1;
  report.trained = std::chrono::seconds(75);
  report.wall_clock = std::chrono::seconds(100);
  return report;
}

inline LiveRecord live_record() {
  LiveRecord live;
  live.total_steps = 900;
  live.seconds_per_step = 0.5;
  live.summary.ranks = 4;
  live.summary.median_step = 100;
  live.summary.phases = {{"step", 4}};
  return live;
}

}  // namespace ddp::cli
