#include "jobenv/agent/head/run_ending.hpp"

#include "jobenv/agent/controller/signal_meaning.hpp"
#include "jobenv/agent/head/requeue_event.hpp"
#include "jobenv/agent/head/resume_step.hpp"
#include "jobenv/record/files/file_tail.hpp"
#include "jobenv/record/ledger/cancel_request.hpp"

namespace ddp::agent {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;
using std::chrono::system_clock;

/// A request whose answer was lost is made once more.
constexpr int kMostRequeueRequests = 2;

RunEnd make_cancelled(RunEnd end, ExitCode code) {
  end.state = RunState::cancelled;
  end.exit_code = static_cast<int>(code);
  end.message += "; cancelled in the meantime";
  return end;
}

}  // namespace

RunEnding::RunEnding(EventLoop& loop, const LaunchPlan& plan, HeadRecords& records, JobInquiry& inquiry,
                     LostNodes& lost_nodes, HeadRecords::Log log, OnDone on_done)
    : loop_(loop),
      plan_(plan),
      records_(records),
      inquiry_(inquiry),
      lost_nodes_(lost_nodes),
      log_(std::move(log)),
      on_done_(std::move(on_done)) {}

void RunEnding::begin(EndOfRanks end_of_ranks) {
  ranks_ = std::move(end_of_ranks);
  end_ = ranks_.end;
  ended_ = steady_clock::now();
  log_(std::string(name_of(end_.state)) + ": " + end_.message);
  if (records_.is_superseded() || records_.cancel_recorded() || !inquiry_.has_job() ||
      !may_go_on(end_, plan_))
    return close();
  ask();
}

void RunEnding::on_term() {
  ranks_.terminated = true;
  if (asking_) ask();  // an answer under way may be older than the signal
}

void RunEnding::ask() {
  loop_.cancel(question_timer_);
  if (inquiry_.taken_back()) return decide(JobFate::taken_back);
  asking_ = true;
  inquiry_.ask([this](JobFate fate) { consider(fate); });
}

void RunEnding::consider(JobFate fate) {
  const auto pause = pause_before_next_question(end_, fate, question_context());
  if (!pause || records_.is_superseded() || records_.cancel_recorded()) return decide(fate);
  note_wait(fate);
  question_timer_ = loop_.after(*pause, [this] { ask(); });
}

/// Once for each reason: the job holds its nodes while nothing seems to happen.
void RunEnding::note_wait(JobFate fate) {
  if (std::exchange(waited_for_, fate) == fate) return;
  const std::string message = render_wait(end_, fate, plan_, inquiry_.tool());
  records_.write(event::Waiting{.message = end_.message + "; " + message});
  log_(message);
}

QuestionContext RunEnding::question_context() const {
  return {ranks_.terminated, ranks_.deadline && system_clock::now() >= *ranks_.deadline,
          std::chrono::floor<seconds>(steady_clock::now() - ended_)};
}

/// Head knows an end of the job, and the scheduler may have told an earlier one since.
bool RunEnding::end_is_near() const {
  const auto announced = [this](const std::optional<system_clock::time_point>& end) {
    return end && announces_end(plan_, system_clock::now(), *end);
  };
  return !ranks_.deadline || announced(ranks_.deadline) || announced(inquiry_.end_time());
}

void RunEnding::decide(JobFate fate) {
  asking_ = false;
  if (records_.is_superseded() || records_.cancel_recorded()) return close();
  const auto reason = inquiry_.explain(fate);
  const auto events = load_ledger(records_.folder(), RankEvents::skip).value_or(std::vector<LedgerEvent>{});
  const RequeueContext context{fate,
                               ranks_.terminated,
                               question_context().time_is_over || reason == StopReason::time_limit,
                               end_is_near(),
                               count_requeues_at_limit(events),
                               count_futile_attempts(events),
                               ranks_.began_after,
                               find_resume_step(records_.folder(), plan_),
                               reason.value_or(StopReason::taken_back)};
  // Ranks of a job that was ended early had less time than the stop signal announced.
  const std::string advice = ranks_.terminated && end_.killed > 0 ? "" : render_advice();
  auto decision = decide_requeue(end_, plan_, context);
  end_ = std::move(decision.end);
  if (!advice.empty()) end_.message += "; " + advice;
  switch (decision.step) {
    case RequeueStep::end:
      return close();
    case RequeueStep::requeue:
      if (!may_still_requeue()) return close();
      note_requeue(decision.reason, context, advice);
      return request_requeue();
    case RequeueStep::leave:
      note_requeue(decision.reason, context, advice);
      return leave(decision.reason);
  }
}

void RunEnding::leave(StopReason reason) {
  if (reason == StopReason::node_failed || end_.agent_lost) lost_nodes_.begin();
  lost_nodes_.when_done([this] { close(LastWord::of_next_attempt); });
}

std::string RunEnding::render_advice() const {
  const auto now = steady_clock::now();
  return advise_signal_lead(end_, plan_, std::chrono::ceil<seconds>(now - ranks_.stop_began.value_or(now)));
}

/// What counts may have changed while the scheduler was asked.
bool RunEnding::may_still_requeue() {
  const auto events = load_ledger(records_.folder(), RankEvents::skip);
  if (!events) end_.message += ". Not requeued: " + events.error().message;
  return events && !is_cancel_requested(*events) && !records_.is_superseded();
}

/// The ledger was told before: the scheduler may end the job, and head with it, before it has answered.
void RunEnding::request_requeue() {
  ++requeue_requests_;
  inquiry_.requeue([this](const ToolAnswer& answer) { on_requeue_answer(answer); });
}

void RunEnding::note_requeue(StopReason reason, const RequeueContext& context, const std::string& advice) {
  // Ranks that died of the signal did not take too long to stop.
  const auto requeue = describe_requeue(plan_.traits, records_.attempt(), reason, context,
                                        plan_.program == ProgramKind::trainer ? end_.last_step : std::nullopt,
                                        advice.empty() ? warn_of_unhandled_signal(end_, context) : advice);
  records_.write(requeue);
  log_(requeue.message);
}

/// An answer may be lost, or cut short by what it is about.
void RunEnding::on_requeue_answer(const ToolAnswer& answer) {
  if (answer.succeeded) return close(LastWord::of_next_attempt);
  ask_whether_requeued(std::string(last_line(answer.text)));
}

void RunEnding::ask_whether_requeued(const std::string& words) {
  inquiry_.ask([this, words](JobFate fate) { consider_requeue(fate, words); });
}

void RunEnding::consider_requeue(JobFate fate, const std::string& words) {
  if (fate == JobFate::taken_back) return close(LastWord::of_next_attempt);
  const auto pause = pause_before_next_question(end_, fate, question_context());
  if (fate == JobFate::unknown && pause) {
    note_wait(fate);
    question_timer_ = loop_.after(*pause, [this, words] { ask_whether_requeued(words); });
    return;
  }
  const bool goes_on = fate == JobFate::running || fate == JobFate::giving_way;
  if (goes_on && !ranks_.terminated && requeue_requests_ < kMostRequeueRequests && may_still_requeue())
    return request_requeue();
  on_requeue_refused(words);
}

void RunEnding::on_requeue_refused(const std::string& words) {
  records_.write(event::RequeueRefused{.message = words});
  if (records_.cancel_recorded()) {
    end_ = RunEnd{RunState::cancelled, static_cast<int>(ExitCode::interrupted), "cancelled", std::nullopt};
  } else {
    end_.message += ". " + plan_.traits.scheduler + " did not requeue the job: " + words;
  }
  close();
}

/// `requeued` is no end of a run: nobody starts it again if it does not want that.
RunEnd RunEnding::make_final(RunEnd end) const {
  const bool goes_on = end.state == RunState::requeued || would_go_on(end, plan_, inquiry_.taken_back());
  if (goes_on && records_.cancel_recorded()) return make_cancelled(std::move(end), ExitCode::interrupted);
  // Both stop the ranks of a job in its grace time in the same way.
  if (end.state == RunState::preempted && inquiry_.was_cancelled())
    return make_cancelled(std::move(end), ExitCode::terminated);
  if (end.state == RunState::requeued) end.state = RunState::preempted;
  return end;
}

void RunEnding::close(LastWord last_word) {
  if (last_word == LastWord::of_next_attempt) {
    end_.exit_code = static_cast<int>(ExitCode::requeue);
  } else {
    end_ = make_final(std::move(end_));
  }
  on_done_(end_, last_word);
}

}  // namespace ddp::agent
