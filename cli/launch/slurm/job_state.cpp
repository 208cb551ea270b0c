#include "cli/launch/slurm/job_state.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace ddp::cli {
namespace {

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// Cuts the part before `separator` off `text`; all of it when there is none.
std::string_view take_until(std::string_view& text, char separator) {
  const auto end = text.find(separator);
  const auto part = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return part;
}

struct StateRow {
  std::string_view word;
  RunState state;
};

// What Slurm calls an end is one here only if head could not say it: head's own words are asked first.
constexpr std::array<StateRow, 26> kStates{{
    {"PENDING", RunState::queued},      {"CONFIGURING", RunState::queued},
    {"REQUEUED", RunState::queued},     {"REQUEUE_HOLD", RunState::queued},
    {"REQUEUE_FED", RunState::queued},  {"RESV_DEL_HOLD", RunState::queued},
    {"SPECIAL_EXIT", RunState::queued}, {"POWER_UP_NODE", RunState::queued},
    {"EXPEDITING", RunState::queued},   {"RUNNING", RunState::running},
    {"COMPLETING", RunState::running},  {"SUSPENDED", RunState::running},
    {"STOPPED", RunState::running},     {"SIGNALING", RunState::running},
    {"RESIZING", RunState::running},    {"STAGE_OUT", RunState::running},
    {"COMPLETED", RunState::failed},    {"FAILED", RunState::failed},
    {"BOOT_FAIL", RunState::failed},    {"LAUNCH_FAILED", RunState::failed},
    {"NODE_FAIL", RunState::failed},    {"OUT_OF_MEMORY", RunState::failed},
    {"DEADLINE", RunState::timed_out},  {"TIMEOUT", RunState::timed_out},
    {"PREEMPTED", RunState::preempted}, {"CANCELLED", RunState::cancelled},
}};

struct EndRow {
  std::string_view word;
  std::string_view meaning;
};

// Of a job whose batch script had not come to ddp-agent: only the set-up lines are in front of it.
constexpr std::array<EndRow, 6> kEndsBeforeHead{{
    {"FAILED", ", before ddp-agent started: a line of slurm.setup or environment.setup failed"},
    {"COMPLETED", ", before ddp-agent started: a line of slurm.setup or environment.setup ended the script"},
    {"TIMEOUT", ", before ddp-agent started: the lines of slurm.setup and environment.setup took too long"},
    {"DEADLINE", ", before ddp-agent started: the deadline of the job was over"},
    {"NODE_FAIL", ", before ddp-agent started: a node of the job failed"},
    {"OUT_OF_MEMORY", ", before ddp-agent started: slurm.setup or environment.setup took too much memory"},
}};

std::string explain_end(const SlurmJobState& job, std::string_view word, RunState state, HeadTrace head) {
  std::string_view meaning = ", and ddp-agent left no end of the run";
  if (head == HeadTrace::none) {
    if (state == RunState::cancelled) return "cancelled before it started";
    const auto row = std::ranges::find(kEndsBeforeHead, word, &EndRow::word);
    meaning = row == kEndsBeforeHead.end() ? ", before ddp-agent started" : row->meaning;
  }
  return "Slurm says " + job.word + std::string(meaning) + "; see logs/slurm-*.out";
}

std::string explain(const SlurmJobState& job, const StateRow& row, HeadTrace head) {
  const RunState state = row.state;
  if (is_final(state)) return explain_end(job, row.word, state, head);
  if (state == RunState::queued && !job.reason.empty() && job.reason != "None") return "Slurm: " + job.reason;
  return {};
}

}  // namespace

std::map<std::string, SlurmJobState> parse_squeue(std::string_view text) {
  std::map<std::string, SlurmJobState> jobs;
  while (!text.empty()) {
    auto line = take_until(text, '\n');
    const auto id = take_until(line, '|');
    const auto word = take_until(line, '|');
    if (is_number(id) && !word.empty()) jobs[std::string(id)] = {std::string(word), std::string(line)};
  }
  return jobs;
}

std::optional<SlurmJobState> parse_scontrol_job(std::string_view text) {
  SlurmJobState job;
  while (!text.empty()) {
    auto field = take_until(text, ' ');
    const auto name = take_until(field, '=');
    if (name == "JobState") job.word = field;
    if (name == "Reason") job.reason = field;
    if (name == "Restarts" && is_number(field)) job.restarts = std::atoi(std::string(field).c_str());
  }
  if (job.word.empty()) return std::nullopt;
  return job;
}

bool says_no_such_job(std::string_view slurm_stderr) {
  return slurm_stderr.find("Invalid job id") != std::string_view::npos;
}

Observation interpret(const SlurmJobState& job, HeadTrace head) {
  // "CANCELLED by 1000", "OUT_OF_ME+": forms of the tools that shorten or add.
  std::string_view word = job.word;
  word = word.substr(0, word.find_first_of(" +"));
  const auto row = std::ranges::find_if(kStates, [word, &job](const StateRow& known) {
    return known.word == word || (job.word.ends_with('+') && !word.empty() && known.word.starts_with(word));
  });
  if (row == kStates.end()) return {RunState::unknown, "Slurm says " + job.word};
  return {row->state, explain(job, *row, head)};
}

std::vector<JobStateMeaning> known_job_states() {
  std::vector<JobStateMeaning> known;
  for (const auto& row : kStates) known.push_back({row.word, row.state});
  return known;
}

}  // namespace ddp::cli
