#include "cli/store/state/run_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <set>
#include <utility>

#include "cli/launchers/launcher_row.hpp"
#include "ddp/jobenv/host_list.hpp"
#include "jobenv/record/ledger/cancel_request.hpp"
#include "jobenv/record/ledger/ledger_damage.hpp"

namespace ddp::cli {
namespace {

using Time = std::chrono::system_clock::time_point;

/// Of this machine: "23:45:10".
std::string clock_time(Time time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm local{};
  std::array<char, 16> text{};
  localtime_r(&seconds, &local);
  return {text.data(), std::strftime(text.data(), text.size(), "%H:%M:%S", &local)};
}

/// Of the process that a `submitted` or a `head_started` tells of.
template <class Event>
ProcessId process_of(const Event& event) {
  return {.host = event.host,
          .boot_id = event.boot_id,
          .pid = std::optional<int>(event.pid).value_or(0),
          .start = event.pid_start.value_or(0)};
}

/// Takes the events one by one, in the order of time.
class StatusBuilder {
 public:
  void add(const LedgerEvent& event) {
    if (may_hide_submission(event)) damaged_ = event.time;
    status_.head_damaged |= may_hide_word_of_head(event);
    (take_if<event::SubmitIntent>(event) || take_if<event::Submitted>(event) ||
     take_if<event::SubmitRefused>(event) || take_if<event::HeadStarted>(event) ||
     take_if<event::AttemptStarted>(event) || take_if<event::Restarting>(event) ||
     take_if<event::RankStarted>(event) || take_if<event::RankExited>(event) ||
     take_if<event::KillOrdered>(event) || take_if<event::AttemptEnded>(event) ||
     take_if<event::NodesMissing>(event) || take_if<event::NodesAwaited>(event) ||
     take_if<event::NodesLost>(event) || take_if<event::NodesExcluded>(event) ||
     take_if<event::ExclusionRefused>(event) || take_if<event::HangSuspected>(event) ||
     take_if<event::HangOver>(event) || take_if<event::MpiNotConnected>(event) ||
     take_if<event::StepsNotReported>(event) || take_if<event::Requeued>(event) ||
     take_if<event::Waiting>(event) || take_if<event::RunEnded>(event) || take_if<event::Notified>(event));
  }

  RunStatus finish() && {
    note_lost_success();
    take_observed_end();
    status_.submission_damaged = damaged_.has_value();
    return std::move(status_);
  }

 private:
  template <class Event>
  bool take_if(const LedgerEvent& event) {
    const auto read = as<Event>(event);
    if (read) take(*read, event.time);
    return read.has_value();
  }

  /// Words on the run of a head that did not know yet that another one has begun.
  [[nodiscard]] bool is_out_of_date(std::optional<int> attempt) const {
    return attempt.value_or(newest_started_) < newest_started_;
  }

  void take(const event::SubmitIntent& intent, Time time) {
    if (submissions_++ > 0) forget_earlier_submission();
    damaged_.reset();
    newest_started_ = -1;
    refused_ = false;
    status_.submitted = time;
    status_.launcher = intent.launcher;
    status_.token = intent.token;
    status_.cluster = intent.cluster;
    status_.job_name = intent.job_name;
    status_.submit_host = intent.host;
    status_.user = intent.user;
    status_.commit = intent.commit;
    status_.branch = intent.branch;
    status_.awaits_answer = status_.state == RunState::unknown;
    if (status_.awaits_answer) status_.message = "it is unknown whether the submission succeeded";
  }

  // Not before the first one: with clocks that differ, head's words may stand before the submitter's.
  void forget_earlier_submission() {
    earlier_jobs_.merge(answered_jobs_);
    head_job_.clear();
    auto attempts = std::move(status_.attempts);
    status_ = RunStatus{};
    status_.attempts = std::move(attempts);
  }

  void begin_lost_submission() {
    forget_earlier_submission();
    newest_started_ = -1;
  }

  /// Who found no job may have looked too early, or at another cluster: a job that is known goes before it.
  void take(const event::SubmitRefused& refusal, Time time) {
    damaged_.reset();
    if (!status_.job_id.empty()) return;
    end_run({.state = RunState::failed, .message = refusal.message}, time);
    refused_ = true;
  }

  void take(const event::Submitted& answer, Time) {
    // Behind an end it is the answer to an intent that is lost.
    if (damaged_ && is_final(status_.state) && !refused_) begin_lost_submission();
    damaged_.reset();
    status_.awaits_answer = false;
    if (std::exchange(refused_, false) && !answer.job_id.empty()) {
      status_.state = RunState::unknown;
      status_.ended.reset();
    }
    if (status_.state == RunState::unknown) {
      // The word of its head may be lost in damaged lines.
      status_.state = newest_started_ >= 0 ? RunState::running : RunState::queued;
      status_.message.clear();
    }
    answered_jobs_.merge(answer.jobs());
    if (!answer.job_id.empty()) take_job(head_job_.empty() ? answer.job_id : head_job_, answer.job_id);
    if (!answer.cluster.empty()) status_.cluster = answer.cluster;
    if (!status_.head && answer.pid_start) status_.head = process_of(answer);
  }

  void take(const event::HeadStarted& head, Time time) {
    refused_ = false;
    damaged_.reset();  // it is the head of whatever was submitted
    status_.state = RunState::running;
    status_.requeued = false;
    status_.awaits_answer = false;
    status_.message.clear();
    status_.ended.reset();
    status_.exit_code.reset();
    status_.cause.reset();
    status_.head = process_of(head);
    // With clocks that differ, the head of an earlier submission may stand behind the newest one.
    if (!head.job_id.empty() && !earlier_jobs_.contains(head.job_id)) {
      head_job_ = head.job_id;
      take_job(head.job_id, head.job_id);
    }
    if (status_.cluster.empty()) status_.cluster = head.cluster;
    if (!status_.started) status_.started = time;
    auto& attempt = attempt_of(head.attempt);
    newest_started_ = std::max(newest_started_, attempt.number);
    attempt.host = head.host;
    attempt.started = time;
    attempt.restart_count = head.restart_count;
    attempt.resumed_from = head.resumes_from;
  }

  /// `told` is one of the jobs of the newest submission; the run is that of `job`. Where sbatch was called
  /// twice, by the site's own sbatch around it, head may run in another job than that of the answer.
  void take_job(const std::string& job, const std::string& told) {
    auto& twins = status_.twin_jobs;
    for (const auto& id : {status_.job_id, told}) {
      if (!id.empty() && std::ranges::find(twins, id) == twins.end()) twins.push_back(id);
    }
    std::erase(twins, job);
    status_.job_id = job;
  }

  void take(const event::AttemptStarted& start, Time time) {
    auto& attempt = attempt_of(start.attempt);
    attempt.hosts = start.hosts;
    newest_started_ = std::max(newest_started_, attempt.number);
    if (!attempt.started || attempt.restarted) attempt.started = time;
    // The word of its head may be lost in damaged lines.
    if (status_.state != RunState::restarting && status_.state != RunState::queued) return;
    status_.state = RunState::running;
    status_.message.clear();
  }

  void take(const event::Restarting& restart, Time time) {
    status_.state = RunState::restarting;
    status_.message = restart.message;
    auto& failed = attempt_of(restart.attempt);
    if (restart.lost_steps) failed.lost_steps = restart.lost_steps;
    if (restart.cause) failed.likely_cause = likely_cause_of(*restart.cause);
    const int restart_count = failed.restart_count;
    auto& next = attempt_of(restart.next_attempt);
    if (status_.head) next.host = status_.head->host;
    next.restarted = true;
    next.started = time;  // its agents may never come together
    next.restart_count = restart_count;
    next.resumed_from = restart.resumes_from;
  }

  void take(const event::RankStarted& start, Time) {
    auto& rank = rank_of(start.attempt, start.rank);
    rank.host = start.host;
    rank.pid = start.pid;
    if (!start.omp_num_threads.empty()) attempt_of(start.attempt).omp_num_threads = start.omp_num_threads;
  }

  void take(const event::RankExited& exit, Time) {
    auto& rank = rank_of(exit.attempt, exit.rank);
    rank.ended = true;
    rank.code = exit.code;
    rank.signal = exit.signal;
    rank.ended_by = exit.ended_by;
    rank.killed = exit.killed;
    rank.last_step = exit.last_step;
    rank.phase = exit.phase;
    if (!exit.host.empty()) rank.host = exit.host;
  }

  void take(const event::KillOrdered& order, Time time) {
    auto& attempt = attempt_of(order.attempt);
    if (!attempt.kill_ordered) attempt.kill_ordered = time;
  }

  void take(const event::AttemptEnded& end, Time time) {
    auto& attempt = attempt_of(end.attempt);
    attempt.outcome = end.outcome;
    attempt.message = end.message;
    attempt.last_step = end.last_step;
    if (attempt.outcome != event::kLost) attempt.ended = time;  // that is told by the next head, later
    attempt.cause = end.cause;
    if (end.lost_steps) attempt.lost_steps = end.lost_steps;
  }

  void take(const event::NodesMissing& nodes, Time) { remark(nodes.attempt, nodes.message); }
  void take(const event::NodesAwaited& nodes, Time time) {
    if (is_out_of_date(nodes.attempt) || is_final(status_.state)) return;
    const auto hosts = HostList(nodes.hosts).compress();
    status_.message = std::string(kAwaitsHosts) + hosts + " until " +
                      clock_time(time + std::chrono::seconds(nodes.seconds)) +
                      ", then it fails; to go on without: ddpsubmit cancel, then rerun or run";
    remark(nodes.attempt, "waited for " + hosts);
  }
  void take(const event::NodesLost& nodes, Time) { remark(nodes.attempt, nodes.message); }
  void take(const event::NodesExcluded& nodes, Time) { remark(nodes.attempt, nodes.message); }
  void take(const event::ExclusionRefused& nodes, Time) { remark(nodes.attempt, nodes.message); }
  void take(const event::StepsNotReported& steps, Time) {
    attempt_of(steps.attempt).warnings.push_back(steps.message);
  }
  void take(const event::MpiNotConnected& ranks, Time) {
    attempt_of(ranks.attempt).warnings.push_back(ranks.message);
  }
  void remark(std::optional<int> attempt, const std::string& message) {
    attempt_of(attempt).remarks.push_back(message);
  }

  /// Only what went wrong: the run is as it is.
  void take(const event::Notified& notified, Time) {
    if (!notified.message.empty())
      remark(notified.attempt, "notify.command for '" + notified.notification + "' " + notified.message);
  }

  void take(const event::HangSuspected& hang, Time) {
    if (is_out_of_date(hang.attempt)) return;
    remark(hang.attempt, std::string(kSuspectedHang) + hang.message);
    if (status_.state == RunState::running) status_.message = std::string(kSuspectedHang) + hang.message;
  }

  void take(const event::HangOver& hang, Time) {
    if (is_out_of_date(hang.attempt)) return;
    remark(hang.attempt, "all ranks make progress again");
    if (status_.message.starts_with(kSuspectedHang)) status_.message.clear();
  }

  /// The job waits for its next start; who ran it before is of no concern to that.
  void take(const event::Requeued& requeue, Time) {
    if (is_out_of_date(requeue.attempt)) return;
    auto& attempt = attempt_of(requeue.attempt);
    if (requeue.lost_steps) attempt.lost_steps = requeue.lost_steps;
    status_.state = RunState::queued;
    status_.message = requeue.message;
    status_.requeued = true;
    status_.head.reset();
  }

  /// The ranks have ended, the run has not.
  void take(const event::Waiting& wait, Time) {
    if (!is_out_of_date(wait.attempt)) status_.message = wait.message;
  }

  void take(const event::RunEnded& end, Time time) {
    if (is_out_of_date(end.attempt)) return;
    if (!end.source.empty()) return observed_ends_.push_back({end, time});
    damaged_.reset();
    end_run(end, time);
    if (status_.state == RunState::succeeded) (void)attempt_of(end.attempt);  // its start may be lost
  }

  void end_run(const event::RunEnded& end, Time time) {
    status_.state = end.state;
    status_.awaits_answer = false;
    status_.message = end.message;
    status_.exit_code = end.exit_code;
    status_.ended = time;
    if (end.cause) status_.cause = end.cause;
  }

  /// Behind an attempt that has succeeded head has one word left. While its job lives, the job goes on.
  void note_lost_success() {
    if (!status_.head_damaged || status_.state != RunState::running || status_.attempts.empty()) return;
    const auto& newest = status_.attempts.back();
    status_.lost_success = newest.number == newest_started_ && newest.outcome == name_of(RunState::succeeded);
  }

  /// An observer may be late: what it proved holds only if nothing has begun since it looked.
  void take_observed_end() {
    if (is_final(status_.state) || status_.ended) return;
    const auto found = std::ranges::find_if(observed_ends_, [this](const ObservedEnd& observed) {
      return observed.end.token == status_.token && observed.end.attempt == status_.newest_attempt();
    });
    if (found == observed_ends_.end()) return;
    if (damaged_ < found->time) damaged_.reset();
    end_run(found->end, found->time);
    status_.ended = found->end.ended;
    if (status_.state == RunState::failed) status_.exit_code = static_cast<int>(ExitCode::run_failed);
    if (status_.state == RunState::succeeded) status_.exit_code = static_cast<int>(ExitCode::ok);
  }

  AttemptStatus& attempt_of(std::optional<int> attempt_number) {
    const int number = attempt_number.value_or(0);
    const auto place = std::ranges::lower_bound(status_.attempts, number, {}, &AttemptStatus::number);
    if (place != status_.attempts.end() && place->number == number) return *place;
    AttemptStatus attempt;
    attempt.number = number;
    return *status_.attempts.insert(place, std::move(attempt));
  }

  RankStatus& rank_of(std::optional<int> attempt, int number) {
    auto& ranks = attempt_of(attempt).ranks;
    const auto place = std::ranges::lower_bound(ranks, number, {}, &RankStatus::rank);
    if (place != ranks.end() && place->rank == number) return *place;
    RankStatus rank;
    rank.rank = number;
    return *ranks.insert(place, std::move(rank));
  }

  struct ObservedEnd {
    event::RunEnded end;
    Time time;
  };

  RunStatus status_;
  std::vector<ObservedEnd> observed_ends_;
  int submissions_ = 0;
  std::string head_job_;                 // of the newest submission
  std::set<std::string> answered_jobs_;  // of it and of those before
  std::set<std::string> earlier_jobs_;   // of those before, as far as they had an answer
  int newest_started_ = -1;              // attempt of the newest submission
  bool refused_ = false;                 // the newest submission, and nothing has followed
  std::optional<Time> damaged_;          // what may tell of a younger one
};

RunStatus read_ledger(const std::vector<LedgerEvent>& ledger) {
  StatusBuilder builder;
  for (const auto& event : ledger) builder.add(event);
  return std::move(builder).finish();
}

/// Of the nodes that it says it has started on, which may be fewer than those of the plan.
int ranks_of(const AttemptStatus& attempt, const RunRecords& records) {
  if (!records.plan || attempt.hosts.empty()) return records.world_size();
  return static_cast<int>(attempt.hosts.size()) * records.plan->tasks_per_node;
}

bool all_ranks_succeeded(const RunRecords& records, const AttemptStatus& attempt) {
  std::set<int> ranks;
  for (const auto& exit : records.exits) {
    if (exit.succeeded()) ranks.insert(exit.rank);
  }
  return !ranks.empty() && static_cast<int>(ranks.size()) == ranks_of(attempt, records);
}

}  // namespace

std::optional<std::chrono::milliseconds> elapsed_of(const RunStatus& status,
                                                    std::chrono::system_clock::time_point now) {
  const bool goes_on = status.state == RunState::running || status.state == RunState::restarting;
  if (!status.started || (!status.ended && !goes_on)) return std::nullopt;
  return std::chrono::duration_cast<std::chrono::milliseconds>(status.ended.value_or(now) - *status.started);
}

namespace {

/// Whether no submission can be younger than the one that is known.
bool is_newest(const RunStatus& status, const RunRecords& records) {
  if (records.script_token) return *records.script_token == status.token;
  const bool in_queue = has_scheduler(status.launcher) || !status.job_id.empty();
  return !in_queue && records.highest_attempt <= status.newest_attempt();
}

/// `ended` stays, so that nobody takes the end of an earlier submission for that of the newest.
void doubt_end(const RunRecords& records, RunStatus& status) {
  if (!status.submission_damaged || !is_final(status.state) || is_newest(status, records)) return;
  status.in_doubt = true;
  status.message = fmt::format("it was {}, but unreadable lines of the ledger may hide a later submission",
                               name_of(status.state));
  status.state = RunState::unknown;
}

}  // namespace

std::optional<int> find_reported_success(const std::vector<LedgerEvent>& ledger) {
  const auto status = read_ledger(ledger);
  const bool reported = status.state == RunState::succeeded || status.lost_success;
  return reported ? std::optional(status.newest_attempt()) : std::nullopt;
}

RunStatus derive_status(const RunRecords& records) {
  RunStatus status = read_ledger(records.ledger);
  status.cancel_requested = is_cancel_requested(records.ledger);
  status.damage = describe_damage(records.ledger);
  doubt_end(records, status);
  const bool reported = status.state == RunState::succeeded || status.lost_success;
  const bool holds = reported && !status.attempts.empty() &&
                     (records.confirmed || all_ranks_succeeded(records, status.attempts.back()));
  status.lost_success = status.lost_success && holds;
  if (status.state == RunState::succeeded && !holds) {
    status.state = RunState::unknown;
    status.message = "the head reports success, but not every rank left an exit record of it";
  }
  return status;
}

}  // namespace ddp::cli
