#include "cli/launch/slurm/slurm_observer.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "cli/launch/slurm/job_state.hpp"

namespace ddp::cli {
namespace {

using std::chrono::system_clock;

constexpr std::chrono::minutes kClockSkew{2};  // between the hosts of a cluster, at most

/// Of the clock on the wall.
std::string render_clock(system_clock::time_point time) {
  const std::time_t seconds = system_clock::to_time_t(time);
  std::tm local{};
  localtime_r(&seconds, &local);
  return fmt::format("{:%H:%M:%S}", local);
}

tl::unexpected<Error> no_answer(const Expected<CommandResult>& result) {
  return fail(ExitCode::outcome_unknown, result ? trim_end(result->err) : result.error().message);
}

std::string join_ids(std::span<const RunStatus> runs, const std::vector<std::size_t>& places) {
  std::string ids;
  for (const auto place : places) ids += (ids.empty() ? "" : ",") + runs[place].job_id;
  return ids;
}

/// A job that had the id before.
bool is_older(const SlurmJob& job, const RunStatus& run) {
  return job.submitted && run.submitted && *job.submitted < *run.submitted - kClockSkew;
}

}  // namespace

std::vector<Observation> SlurmObserver::observe(std::span<const RunStatus> runs) {
  runs_ = runs;
  silent_before_ = std::exchange(silent_since_, std::nullopt);
  observations_.clear();
  open_.clear();
  for (std::size_t place = 0; place < runs.size(); ++place) {
    observations_.push_back({.state = runs[place].state, .message = runs[place].message});
    if (!runs[place].job_id.empty()) open_.push_back(place);
  }
  if (!open_.empty()) ask_queue();
  if (!open_.empty()) ask_controller();
  if (!open_.empty()) ask_accounts();
  return std::move(observations_);
}

void SlurmObserver::observe_open(std::string_view source, const SlurmJob& job, std::size_t place) {
  observations_[place] = interpret(job, runs_[place]);
  observations_[place].source = source;
}

void SlurmObserver::ask_queue() {
  const auto jobs = load_queue();
  if (!jobs) return give_up(jobs.error());
  std::erase_if(open_, [&](std::size_t place) {
    const auto* job = jobs->find(runs_[place]);
    // Only scontrol tells whether Slurm may requeue it.
    if (job == nullptr || may_be_requeued(*job, tools_.clock().now())) return false;
    observe_open("squeue", *job, place);
    return true;
  });
}

void SlurmObserver::ask_controller() {
  const auto jobs = load_controller();
  if (!jobs) return give_up(jobs.error());
  std::erase_if(open_, [&](std::size_t place) {
    const auto* job = jobs->find(runs_[place]);
    if (job == nullptr) return false;
    observe_open("scontrol", *job, place);
    if (may_be_requeued(*job, tools_.clock().now()))
      observations_[place] = {.state = RunState::unknown,
                              .message = "Slurm says " + job->word + ", and may requeue the job"};
    return true;
  });
}

void SlurmObserver::ask_accounts() {
  const auto jobs = load_accounts();
  for (const auto place : open_) {
    const auto* job = jobs ? jobs->find(runs_[place]) : nullptr;
    // Accounts that do not hold an end are wrong: the controller has none of it.
    if (job != nullptr && !is_older(*job, runs_[place]) && is_final(interpret(*job, runs_[place]).state)) {
      observe_open("sacct", *job, place);
    } else {
      observations_[place] = interpret_absence(runs_[place]);
      // The accounts may yet say how it ended.
      observations_[place].source = jobs ? "scontrol" : "";
    }
  }
}

/// Nobody knows what has become of those that are open.
void SlurmObserver::give_up(const Error& error) {
  silent_since_ = silent_before_.value_or(tools_.clock().now());
  const auto message =
      fmt::format("Slurm does not answer since {}: {}", render_clock(*silent_since_), error.message);
  for (const auto place : open_) observations_[place] = {.state = RunState::unknown, .message = message};
  open_.clear();
}

Expected<JobTable> SlurmObserver::load_queue() const {
  std::vector<std::string> argv{"squeue", "--noheader", "--all", "--states=all",
                                "--format=" + std::string(kSqueueFormat)};
  // The controller sends one job, or all of a user; of a list of ids it would send everybody's.
  argv.push_back(open_.size() == 1 ? "--jobs=" + runs_[open_.front()].job_id : "--me");
  const auto result = tools_.ask(std::move(argv));
  if (result && result->succeeded()) return parse_squeue(result->out);
  if (result && says_no_such_job(result->err)) return JobTable{};
  return no_answer(result);
}

Expected<JobTable> SlurmObserver::load_controller() const {
  std::vector<std::string> argv{"scontrol", "--all", "--oneliner", "show"};
  if (open_.size() == 1) {
    argv.insert(argv.end(), {"job", runs_[open_.front()].job_id});
  } else {
    argv.emplace_back("jobs");
  }
  const auto result = tools_.ask(std::move(argv));
  if (result && result->succeeded()) return parse_scontrol_jobs(result->out);
  if (result && says_no_such_job(result->err)) return JobTable{};
  return no_answer(result);
}

Expected<JobTable> SlurmObserver::load_accounts() {
  if (accounting_ == Accounting::none) return JobTable{};
  auto earliest = system_clock::time_point::max();
  for (const auto place : open_)
    earliest = std::min(earliest, runs_[place].submitted.value_or(system_clock::time_point{}));
  // Without a start, or with today's midnight, sacct would show an older job of the same id, or none.
  const auto age =
      std::chrono::duration_cast<std::chrono::minutes>(tools_.clock().now() - earliest + kClockSkew);
  const auto result = tools_.ask({"sacct", "--noheader", "--parsable2", "--allocations", "--duplicates",
                                  "--format=" + std::string(kSacctFormat), "--jobs=" + join_ids(runs_, open_),
                                  fmt::format("--starttime=now-{}minutes", age.count())});
  if (result && result->succeeded()) return parse_sacct(result->out);
  if (result && !says_no_accounting(result->err)) return no_answer(result);
  accounting_ = Accounting::none;  // or this host has no sacct
  return JobTable{};
}

}  // namespace ddp::cli
