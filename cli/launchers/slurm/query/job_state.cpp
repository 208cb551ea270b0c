#include "cli/launchers/slurm/query/job_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/launchers/slurm/query/clock_skew.hpp"
#include "cli/launchers/slurm/query/pending_reasons.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::cli {
namespace {

struct StateRow {
  std::string_view word;
  RunState state;
};

// What Slurm calls an end is one here only if head could not say it: head's own words are asked first.
constexpr std::array<StateRow, 28> kStates{{
    {"PENDING", RunState::queued},       {"CONFIGURING", RunState::queued},
    {"REQUEUED", RunState::queued},      {"REQUEUE_HOLD", RunState::queued},
    {"REQUEUE_FED", RunState::queued},   {"RESV_DEL_HOLD", RunState::queued},
    {"SPECIAL_EXIT", RunState::queued},  {"POWER_UP_NODE", RunState::queued},
    {"EXPEDITING", RunState::queued},    {"RUNNING", RunState::running},
    {"COMPLETING", RunState::running},   {"SUSPENDED", RunState::running},
    {"STOPPED", RunState::running},      {"SIGNALING", RunState::running},
    {"RESIZING", RunState::running},     {"STAGE_OUT", RunState::running},
    {"UPDATE_DB", RunState::running},    {"COMPLETED", RunState::failed},
    {"FAILED", RunState::failed},        {"BOOT_FAIL", RunState::failed},
    {"LAUNCH_FAILED", RunState::failed}, {"RECONFIG_FAIL", RunState::failed},
    {"NODE_FAIL", RunState::failed},     {"OUT_OF_MEMORY", RunState::failed},
    {"DEADLINE", RunState::timed_out},   {"TIMEOUT", RunState::timed_out},
    {"PREEMPTED", RunState::preempted},  {"CANCELLED", RunState::cancelled},
}};

struct EndRow {
  std::string_view word;
  std::string_view meaning;
};

// Of a job whose batch script had not come to ddp-agent: only the set-up lines are in front of it.
constexpr std::array<EndRow, 6> kEndsBeforeHead{{
    {"FAILED", ", before ddp-agent started: a line of slurm.setup or environment.setup failed"},
    {"COMPLETED",
     ", before ddp-agent started: a line of slurm.setup or environment.setup ended the batch script"},
    {"TIMEOUT", ", before ddp-agent started: the lines of slurm.setup and environment.setup took too long"},
    {"DEADLINE", ", before ddp-agent started: the deadline of the job had passed"},
    {"NODE_FAIL", ", before ddp-agent started: a node of the job failed"},
    {"OUT_OF_MEMORY", ", before ddp-agent started: slurm.setup or environment.setup took too much memory"},
}};

// "CANCELLED by 1000", "OUT_OF_ME+": forms of the tools that add or shorten.
const StateRow* find_state(std::string_view text) {
  const auto word = text.substr(0, text.find_first_of(" +"));
  const bool shortened = text.ends_with('+') && !word.empty();
  const auto row = std::ranges::find_if(kStates, [word, shortened](const StateRow& known) {
    return known.word == word || (shortened && known.word.starts_with(word));
  });
  return row == kStates.end() ? nullptr : &*row;
}

/// Whether head has left a word since the job was submitted. On Slurm only head itself tells who it is.
bool has_started(const RunStatus& run) {
  return run.head || run.requeued;
}

/// Requeued after an attempt that has ended, and not started again.
bool waits_again(const RunStatus& run) {
  return run.requeued || (run.head && !run.attempts.empty() && run.attempts.back().ended);
}

std::string explain_end(const SlurmJob& job, const StateRow& row, const RunStatus& run) {
  if (row.state == RunState::cancelled) {
    if (!has_started(run)) return "cancelled before it started";
    if (waits_again(run)) return "cancelled while it waited to start again";
  }
  std::string_view meaning = ", but ddp-agent did not record how the run ended";
  if (job.exit_code == kExitUnclaimed) {
    meaning =
        ", and ddp-agent could not start an attempt: the disk of the run folder may be full or out of inodes";
  } else if (!has_started(run)) {
    const auto* end = std::ranges::find(kEndsBeforeHead, row.word, &EndRow::word);
    meaning = end == kEndsBeforeHead.end() ? ", before ddp-agent started" : end->meaning;
  }
  return "Slurm says " + job.word + std::string(meaning) + "; see logs/slurm-*.out";
}

std::string explain_wait(const SlurmJob& job, const RunStatus& run) {
  std::string again = run.head ? "requeued" : "";  // otherwise the records say why
  if (job.reason.empty() || job.reason == "None") return again;
  const auto begin = again.empty() ? "" : again + "; ";
  const auto meaning = explain_pending(job.reason, run.job_id);
  return begin + (meaning ? *meaning + " (Slurm: " + job.reason + ")" : "Slurm: " + job.reason);
}

/// Only the set-up lines are in front of head.
std::string explain_start(const StateRow& row, const RunStatus& run) {
  return row.word == "RUNNING" && !run.head ? "running its set-up lines: ddp-agent has not started yet" : "";
}

/// Of these Slurm gives the earliest time, or one that holds only once the job is released.
bool has_estimate(const SlurmJob& job) {
  constexpr std::array<std::string_view, 3> kWithout{"BeginTime", "JobHeldUser", "JobHeldAdmin"};
  return std::ranges::find(kWithout, job.reason) == kWithout.end();
}

/// The batch script's own output says more while head has not started.
std::string log_of(const RunStatus& run) {
  return has_started(run) ? "" : "slurm-" + run.job_id + ".out";
}

}  // namespace

Observation interpret(const SlurmJob& job, const RunStatus& run) {
  const auto* row = find_state(job.word);
  if (row == nullptr) return {.state = RunState::unknown, .message = "Slurm says " + job.word};
  if (is_final(row->state))
    return {
        .state = row->state, .message = explain_end(job, *row, run), .log = log_of(run), .ended = job.end};
  if (row->word == "SUSPENDED")
    return {.state = row->state, .message = "suspended by Slurm", .suspended = true};
  if (row->state != RunState::queued) return {.state = row->state, .message = explain_start(*row, run)};
  return {.state = RunState::queued,
          .message = explain_wait(job, run),
          .log = {},
          .expected_start = has_estimate(job) ? job.start : std::nullopt};
}

bool may_be_requeued(const SlurmJob& job, std::chrono::system_clock::time_point now) {
  constexpr std::array kRequeued{"NODE_FAIL", "PREEMPTED", "BOOT_FAIL"};
  constexpr auto kSettled = kClockSkew + std::chrono::minutes(1);  // `now` is of another clock than the end
  const auto* row = find_state(job.word);
  if (row == nullptr || std::ranges::find(kRequeued, row->word) == kRequeued.end()) return false;
  return job.may_requeue.value_or(true) && (!job.end || now - *job.end < kSettled);
}

bool lacks_exit_code(const SlurmJob& job) {
  return job.word == "FAILED" && !job.exit_code;
}

std::vector<JobStateMeaning> known_job_states() {
  std::vector<JobStateMeaning> known;
  for (const auto& row : kStates) known.push_back({row.word, row.state});
  return known;
}

Observation interpret_absence(const RunStatus& run) {
  if (run.cancel_requested) {
    const auto* when = !has_started(run)  ? "cancelled before it started"
                       : waits_again(run) ? "cancelled while it waited to start again"
                                          : "";
    return {.state = RunState::cancelled, .message = when};
  }
  const auto what = has_started(run) ? "ddp-agent did not record how the run ended"
                                     : "ddp-agent has not started; see logs/slurm-*.out";
  return {.state = RunState::failed,
          .message = fmt::format("Slurm no longer knows job {}, and {}", run.job_id, what),
          .log = log_of(run)};
}

}  // namespace ddp::cli
