#include "cli/launchers/slurm/query/slurm_observer.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ctime>

#include "cli/launchers/slurm/query/clock_skew.hpp"
#include "cli/launchers/slurm/query/job_state.hpp"
#include "cli/launchers/slurm/query/setup_failure.hpp"

namespace ddp::cli {
namespace {

using std::chrono::system_clock;

/// Of the clock on the wall.
std::string render_clock(system_clock::time_point time) {
  const std::time_t seconds = system_clock::to_time_t(time);
  std::tm local{};
  localtime_r(&seconds, &local);
  return fmt::format("{:%H:%M:%S}", local);
}

tl::unexpected<Error> no_answer(const Expected<CommandResult>& result) {
  return fail(ExitCode::outcome_unknown, explain_failure(result));
}

std::string join_ids(std::span<const RunStatus> runs, const std::vector<std::size_t>& places) {
  std::string ids;
  for (const auto place : places) ids += (ids.empty() ? "" : ",") + runs[place].job_id;
  return ids;
}

Observation elsewhere(const RunStatus& run, const std::string& here) {
  return {
      .state = RunState::unknown,
      .message = fmt::format("its job {} is on cluster {}, and this host asks cluster {}: ask on a host of "
                             "cluster {}",
                             run.job_id, run.cluster, here, run.cluster)};
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
  without_exit_code_.clear();
  if (!open_.empty()) ask_queue();
  if (!without_exit_code_.empty()) ask_exit_codes();
  if (!open_.empty() && controller_may_know_more()) ask_controller();
  if (!open_.empty()) ask_config();
  if (!open_.empty()) ask_accounts();
  return std::move(observations_);
}

Expected<std::vector<std::string>> SlurmObserver::find_jobs(std::span<const RunStatus> runs) const {
  std::vector<std::string> ids;
  for (const auto& run : runs) {
    if (!run.job_id.empty()) ids.push_back(run.job_id);
  }
  if (ids.empty()) return ids;
  const auto jobs = load_queue(fmt::format("--jobs={}", fmt::join(ids, ",")));
  if (!jobs) return tl::unexpected(jobs.error());
  ids.clear();
  for (const auto& run : runs) {
    if (!run.job_id.empty() && jobs->holds(run)) ids.push_back(run.job_id);
  }
  return ids;
}

void SlurmObserver::observe_open(std::string_view source, const SlurmJob& job, std::size_t place) {
  auto& seen = observations_[place] = interpret(job, runs_[place]);
  seen.source = source;
  // A job that has failed in front of ddp-agent: its own output says more.
  if (seen.state != RunState::failed || seen.log.empty()) return;
  if (const auto failure = find_setup_failure(runs_[place]))
    seen.message = *failure + "; see logs/" + seen.log;
}

void SlurmObserver::ask_queue() {
  // The controller sends one job, or all of a user; of a list of ids it would send everybody's.
  shown_ = false;
  missed_by_ = "squeue";
  const auto jobs = load_queue(open_.size() == 1 ? "--jobs=" + runs_[open_.front()].job_id : "--me");
  if (!jobs) return give_up(jobs.error());
  std::erase_if(open_, [&](std::size_t place) {
    const auto* job = jobs->find(runs_[place]);
    // Only scontrol tells whether Slurm may requeue it.
    shown_ = shown_ || (job != nullptr && may_be_requeued(*job, tools_.clock().now()));
    if (job == nullptr || may_be_requeued(*job, tools_.clock().now())) return false;
    observe_open("squeue", *job, place);
    if (lacks_exit_code(*job)) without_exit_code_.push_back(place);
    return true;
  });
}

/// Only scontrol tells it. Without an answer what squeue has said stands.
void SlurmObserver::ask_exit_codes() {
  const auto jobs = load_controller(without_exit_code_);
  for (const auto place : without_exit_code_) {
    const auto* job = jobs ? jobs->find(runs_[place]) : nullptr;
    if (job != nullptr && job->exit_code) observe_open("scontrol", *job, place);
  }
}

/// Of many forgotten runs squeue has said all there is: scontrol would send the jobs of everybody.
bool SlurmObserver::controller_may_know_more() const {
  constexpr std::size_t kFew = 8;
  if (open_.size() <= kFew || shown_) return true;
  return std::ranges::any_of(open_, [this, user = tools_.user()](std::size_t place) {
    return !runs_[place].user.empty() && runs_[place].user != user;
  });
}

void SlurmObserver::ask_controller() {
  missed_by_ = "scontrol";
  const auto jobs = load_controller(open_);
  if (!jobs) return give_up(jobs.error());
  std::erase_if(open_, [&](std::size_t place) {
    const auto* job = jobs->find(runs_[place]);
    if (job == nullptr) return false;
    observe_open("scontrol", *job, place);
    if (may_be_requeued(*job, tools_.clock().now()))
      observations_[place] = {.state = RunState::unknown,
                              .message = "Slurm says " + job->word + ", but may requeue the job"};
    return true;
  });
}

/// Another cluster's controller knows nothing of the job, and nothing follows from that.
void SlurmObserver::ask_config() {
  if (!config_) {
    auto config = ask_slurm_config(tools_);
    if (!config) return give_up(config.error());
    config_ = std::move(*config);
  }
  std::erase_if(open_, [this](std::size_t place) {
    const auto& run = runs_[place];
    if (run.cluster.empty() || config_->cluster.empty() || run.cluster == config_->cluster) return false;
    observations_[place] = elsewhere(run, config_->cluster);
    return true;
  });
}

void SlurmObserver::ask_accounts() {
  if (open_.empty()) return;
  const auto jobs = load_accounts();
  for (const auto place : open_) {
    const auto* job = jobs ? jobs->find(runs_[place]) : nullptr;
    // Accounts that do not hold an end are wrong: the controller has none of it.
    if (job != nullptr && is_final(interpret(*job, runs_[place]).state)) {
      observe_open("sacct", *job, place);
    } else {
      observations_[place] = interpret_absence(runs_[place]);
      // The accounts may yet say how it ended.
      observations_[place].source = jobs ? missed_by_ : "";
      observations_[place].counts_after = config_->min_job_age;
    }
  }
}

/// Nobody knows what has become of those that are open.
void SlurmObserver::give_up(const Error& error) {
  silent_since_ = silent_before_.value_or(tools_.clock().now());
  const auto message =
      fmt::format("Slurm has not answered since {}: {}", render_clock(*silent_since_), error.message);
  for (const auto place : open_)
    observations_[place] = {.state = RunState::unknown, .message = message, .unanswered = true};
  open_.clear();
}

Expected<JobTable> SlurmObserver::load_queue(const std::string& which) const {
  const auto result = tools_.ask(
      {"squeue", "--noheader", "--all", "--states=all", "--format=" + std::string(kSqueueFormat), which});
  if (result && result->succeeded()) return parse_squeue(result->out);
  if (result && says_no_such_job(result->err)) return JobTable{};
  return no_answer(result);
}

Expected<JobTable> SlurmObserver::load_controller(const Open& places) const {
  std::vector<std::string> argv{"scontrol", "--all", "--oneliner", "show"};
  if (places.size() == 1) {
    argv.insert(argv.end(), {"job", runs_[places.front()].job_id});
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
      std::max(std::chrono::duration_cast<std::chrono::minutes>(tools_.clock().now() - earliest + kClockSkew),
               std::chrono::minutes(kClockSkew));
  const auto result = tools_.ask({"sacct", "--noheader", "--parsable2", "--allocations", "--duplicates",
                                  "--format=" + std::string(kSacctFormat), "--jobs=" + join_ids(runs_, open_),
                                  fmt::format("--starttime=now-{}minutes", age.count())});
  if (result && result->succeeded()) return parse_sacct(result->out);
  if (result && !says_no_accounting(result->err)) return no_answer(result);
  accounting_ = Accounting::none;  // or this host has no sacct
  return JobTable{};
}

}  // namespace ddp::cli
