#include "cli/store/state/run_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "cli/launchers/launcher_row.hpp"
#include "jobenv/record/ledger/cancel_request.hpp"
#include "jobenv/record/ledger/ledger_damage.hpp"
#include "jobenv/record/lenient_fields.hpp"

namespace ddp::cli {
namespace {

/// Whether a `run_ended` is an observer's (record_observed_end), not head's.
bool is_observed_end(const LedgerEvent& event) {
  return event.fields.contains("source");
}

using nlohmann::json;

constexpr std::array<std::pair<RunState, std::string_view>, 9> kNames{{
    {RunState::queued, "queued"},
    {RunState::running, "running"},
    {RunState::restarting, "restarting"},
    {RunState::succeeded, "succeeded"},
    {RunState::failed, "failed"},
    {RunState::timed_out, "timed_out"},
    {RunState::preempted, "preempted"},
    {RunState::cancelled, "cancelled"},
    {RunState::unknown, "unknown"},
}};

ProcessId parse_process(const json& fields) {
  return {.host = text_of(fields, "host"),
          .boot_id = text_of(fields, "boot_id"),
          .pid = number_of<int>(fields, "pid").value_or(0),
          .start = number_of<std::uint64_t>(fields, "pid_start").value_or(0)};
}

std::optional<std::chrono::system_clock::time_point> time_of(const json& fields, const char* key) {
  const auto time = parse_time(text_of(fields, key));
  return time ? std::optional(*time) : std::nullopt;
}

Cause parse_cause(const json& fields) {
  return {.rank = number_of<int>(fields, "rank"),
          .host = text_of(fields, "host"),
          .code = number_of<int>(fields, "code"),
          .signal = number_of<int>(fields, "signal"),
          .last_step = number_of<std::uint64_t>(fields, "last_step"),
          .phase = text_of(fields, "phase"),
          .stderr_tail = text_of(fields, "stderr_tail"),
          .what = text_of(fields, "what"),
          .since = time_of(fields, "since")};
}

std::optional<Cause> find_cause(const json& fields) {
  const auto cause = fields.find("cause");
  const bool found = cause != fields.end() && cause->is_object();
  return found ? std::optional(parse_cause(*cause)) : std::nullopt;
}

bool is_about_nodes(const std::string& event) {
  return event == "nodes_lost" || event == "nodes_missing" || event == "nodes_excluded" ||
         event == "exclusion_refused";
}

/// Takes the events one by one, in the order of time.
class StatusBuilder {
 public:
  void add(const LedgerEvent& event) {
    const auto& fields = event.fields;
    if (may_hide_submission(event)) damaged_ = event.time;
    status_.head_damaged |= may_hide_word_of_head(event);
    if (event.event == "submit_intent") return begin_submission(event);
    if (event.event == "submitted") return take_submitted(fields);
    if (event.event == "submit_refused") return refuse(event);
    if (event.event == "head_started") return start_head(event);
    if (event.event == "attempt_started") return start_attempt(event);
    if (event.event == "restarting") return restart(event);
    if (event.event == "rank_started") return start_rank(fields);
    if (event.event == "rank_exited") return end_rank(fields);
    if (event.event == "kill_ordered") return order_kill(event);
    if (event.event == "attempt_ended") return end_attempt(event);
    if (is_about_nodes(event.event)) return remark(fields);
    if (is_out_of_date(fields)) return;
    if (event.event == "requeued") return requeue(fields);
    if (event.event == "waiting") return wait(fields);
    if (event.event == "run_ended") return take_end(event);
  }

  RunStatus finish() && {
    note_lost_success();
    take_observed_end();
    status_.submission_damaged = damaged_.has_value();
    return std::move(status_);
  }

 private:
  /// Words on the run of a head that did not know yet that another one has begun.
  [[nodiscard]] bool is_out_of_date(const json& fields) const {
    return number_of<int>(fields, "attempt").value_or(newest_started_) < newest_started_;
  }

  void begin_submission(const LedgerEvent& event) {
    if (submissions_++ > 0) forget_earlier_submission();
    damaged_.reset();
    newest_started_ = -1;
    refused_ = false;
    status_.submitted = event.time;
    status_.launcher = text_of(event.fields, "launcher");
    status_.token = text_of(event.fields, "token");
    status_.cluster = text_of(event.fields, "cluster");
    status_.submit_host = text_of(event.fields, "host");
    status_.user = text_of(event.fields, "user");
    status_.awaits_answer = status_.state == RunState::unknown;
    if (status_.awaits_answer) status_.message = "the submission left no answer";
  }

  // Not before the first one: with clocks that differ, head's words may stand before the submitter's.
  void forget_earlier_submission() {
    auto attempts = std::move(status_.attempts);
    status_ = RunStatus{};
    status_.attempts = std::move(attempts);
  }

  void begin_lost_submission() {
    forget_earlier_submission();
    newest_started_ = -1;
  }

  /// Who found no job may have looked too early, or at another cluster: a job that is known goes before it.
  void refuse(const LedgerEvent& event) {
    damaged_.reset();
    if (!status_.job_id.empty()) return;
    end_run(RunState::failed, event);
    refused_ = true;
  }

  void take_submitted(const json& fields) {
    // Behind an end it is the answer to an intent that is lost.
    if (damaged_ && is_final(status_.state) && !refused_) begin_lost_submission();
    damaged_.reset();
    status_.awaits_answer = false;
    if (std::exchange(refused_, false) && !text_of(fields, "job_id").empty()) {
      status_.state = RunState::unknown;
      status_.ended.reset();
    }
    if (status_.state == RunState::unknown) {
      // The word of its head may be lost in damaged lines.
      status_.state = newest_started_ >= 0 ? RunState::running : RunState::queued;
      status_.message.clear();
    }
    if (const auto job = text_of(fields, "job_id"); !job.empty()) status_.job_id = job;
    if (const auto cluster = text_of(fields, "cluster"); !cluster.empty()) status_.cluster = cluster;
    if (!status_.head && number_of<std::uint64_t>(fields, "pid_start")) status_.head = parse_process(fields);
  }

  void start_head(const LedgerEvent& event) {
    refused_ = false;
    damaged_.reset();  // it is the head of whatever was submitted
    status_.state = RunState::running;
    status_.requeued = false;
    status_.awaits_answer = false;
    status_.message.clear();
    status_.ended.reset();
    status_.exit_code.reset();
    status_.cause.reset();
    status_.head = parse_process(event.fields);
    // Of a task of an array head knows a number of its own; the submitter's is the one to ask for.
    if (status_.job_id.empty()) status_.job_id = text_of(event.fields, "job_id");
    if (status_.cluster.empty()) status_.cluster = text_of(event.fields, "cluster");
    if (!status_.started) status_.started = event.time;
    auto& attempt = attempt_of(event.fields);
    newest_started_ = std::max(newest_started_, attempt.number);
    attempt.host = status_.head->host;
    attempt.started = event.time;
    attempt.restart_count = number_of<int>(event.fields, "restart_count").value_or(0);
    attempt.resumed_from = number_of<std::uint64_t>(event.fields, "resumes_from");
  }

  void start_attempt(const LedgerEvent& event) {
    auto& attempt = attempt_of(event.fields);
    attempt.hosts = texts_of(event.fields, "hosts");
    newest_started_ = std::max(newest_started_, attempt.number);
    if (!attempt.started || attempt.restarted) attempt.started = event.time;
    // The word of its head may be lost in damaged lines.
    if (status_.state != RunState::restarting && status_.state != RunState::queued) return;
    status_.state = RunState::running;
    status_.message.clear();
  }

  void restart(const LedgerEvent& event) {
    status_.state = RunState::restarting;
    status_.message = text_of(event.fields, "message");
    auto& failed = attempt_of(event.fields);
    take_lost_steps(event.fields, failed);
    const int restart_count = failed.restart_count;
    auto& next = attempt_of({{"attempt", number_of<int>(event.fields, "next_attempt").value_or(0)}});
    if (status_.head) next.host = status_.head->host;
    next.restarted = true;
    next.started = event.time;  // its agents may never come together
    next.restart_count = restart_count;
    next.resumed_from = number_of<std::uint64_t>(event.fields, "resumes_from");
  }

  void start_rank(const json& fields) {
    auto& rank = rank_of(fields);
    rank.host = text_of(fields, "host");
    rank.pid = number_of<int>(fields, "pid").value_or(0);
  }

  void end_rank(const json& fields) {
    auto& rank = rank_of(fields);
    rank.ended = true;
    rank.code = number_of<int>(fields, "code");
    rank.signal = number_of<int>(fields, "signal");
    rank.ended_by = text_of(fields, "ended_by");
    rank.last_step = number_of<std::uint64_t>(fields, "last_step");
    rank.phase = text_of(fields, "phase");
    if (const auto host = text_of(fields, "host"); !host.empty()) rank.host = host;
  }

  void order_kill(const LedgerEvent& event) {
    auto& attempt = attempt_of(event.fields);
    if (!attempt.kill_ordered) attempt.kill_ordered = event.time;
  }

  void end_attempt(const LedgerEvent& event) {
    auto& attempt = attempt_of(event.fields);
    attempt.outcome = text_of(event.fields, "outcome");
    attempt.message = text_of(event.fields, "message");
    attempt.last_step = number_of<std::uint64_t>(event.fields, "last_step");
    if (attempt.outcome != "lost") attempt.ended = event.time;  // that is told by the next head, later
    attempt.cause = find_cause(event.fields);
    take_lost_steps(event.fields, attempt);
  }

  void remark(const json& fields) { attempt_of(fields).remarks.push_back(text_of(fields, "message")); }

  /// The job waits for its next start; who ran it before is of no concern to that.
  void requeue(const json& fields) {
    take_lost_steps(fields, attempt_of(fields));
    status_.state = RunState::queued;
    status_.message = text_of(fields, "message");
    status_.requeued = true;
    status_.head.reset();
  }

  /// The ranks have ended, the run has not.
  void wait(const json& fields) { status_.message = text_of(fields, "message"); }

  static void take_lost_steps(const json& fields, AttemptStatus& attempt) {
    if (const auto lost = number_of<std::uint64_t>(fields, "lost_steps")) attempt.lost_steps = lost;
  }

  void end_run(RunState state, const LedgerEvent& event) {
    status_.state = state;
    status_.awaits_answer = false;
    status_.message = text_of(event.fields, "message");
    status_.exit_code = number_of<int>(event.fields, "exit_code");
    status_.ended = event.time;
    if (auto cause = find_cause(event.fields)) status_.cause = std::move(cause);
  }

  void take_end(const LedgerEvent& event) {
    if (is_observed_end(event)) return observed_ends_.push_back(event);
    damaged_.reset();
    end_run(parse_run_state(text_of(event.fields, "state")), event);
    if (status_.state == RunState::succeeded) (void)attempt_of(event.fields);  // its start may be lost
  }

  /// Behind an attempt that has succeeded head has one word left. While its job lives, the job goes on.
  void note_lost_success() {
    if (!status_.head_damaged || status_.state != RunState::running || status_.attempts.empty()) return;
    const auto& newest = status_.attempts.back();
    status_.lost_success =
        newest.number == newest_started_ && newest.outcome == to_string(RunState::succeeded);
  }

  /// An observer may be late: what it proved holds only if nothing has begun since it looked.
  void take_observed_end() {
    if (is_final(status_.state) || status_.ended) return;
    const auto end = std::ranges::find_if(observed_ends_, [this](const LedgerEvent& event) {
      return text_of(event.fields, "token") == status_.token &&
             number_of<int>(event.fields, "attempt") == status_.newest_attempt();
    });
    if (end == observed_ends_.end()) return;
    if (damaged_ < end->time) damaged_.reset();
    end_run(parse_run_state(text_of(end->fields, "state")), *end);
    status_.ended = time_of(end->fields, "ended");
    if (status_.state == RunState::failed) status_.exit_code = static_cast<int>(ExitCode::run_failed);
    if (status_.state == RunState::succeeded) status_.exit_code = static_cast<int>(ExitCode::ok);
  }

  AttemptStatus& attempt_of(const json& fields) {
    const int number = number_of<int>(fields, "attempt").value_or(0);
    const auto place = std::ranges::lower_bound(status_.attempts, number, {}, &AttemptStatus::number);
    if (place != status_.attempts.end() && place->number == number) return *place;
    AttemptStatus attempt;
    attempt.number = number;
    return *status_.attempts.insert(place, std::move(attempt));
  }

  RankStatus& rank_of(const json& fields) {
    auto& ranks = attempt_of(fields).ranks;
    const int number = number_of<int>(fields, "rank").value_or(0);
    const auto place = std::ranges::lower_bound(ranks, number, {}, &RankStatus::rank);
    if (place != ranks.end() && place->rank == number) return *place;
    RankStatus rank;
    rank.rank = number;
    return *ranks.insert(place, std::move(rank));
  }

  RunStatus status_;
  std::vector<LedgerEvent> observed_ends_;
  int submissions_ = 0;
  int newest_started_ = -1;  // attempt of the newest submission
  bool refused_ = false;     // the newest submission, and nothing has followed
  std::optional<std::chrono::system_clock::time_point> damaged_;  // what may tell of a younger one
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

std::string_view to_string(RunState state) {
  return std::ranges::find(kNames, state, &std::pair<RunState, std::string_view>::first)->second;
}

RunState parse_run_state(std::string_view word) {
  const auto found = std::ranges::find(kNames, word, &std::pair<RunState, std::string_view>::second);
  return found == kNames.end() ? RunState::unknown : found->first;
}

std::vector<std::string> run_state_names() {
  std::vector<std::string> names;
  for (const auto& [state, name] : kNames) names.emplace_back(name);
  return names;
}

bool is_final(RunState state) {
  switch (state) {
    case RunState::succeeded:
    case RunState::failed:
    case RunState::timed_out:
    case RunState::preempted:
    case RunState::cancelled:
      return true;
    case RunState::queued:
    case RunState::running:
    case RunState::restarting:
    case RunState::unknown:
      return false;
  }
  return false;
}

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
  status.message =
      fmt::format("it was {}, but what cannot be read may hide a later submission", to_string(status.state));
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
    status.message = "head reports success, but not every rank left a record of it";
  }
  return status;
}

}  // namespace ddp::cli
