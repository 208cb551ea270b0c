#include "jobenv/agent/head/stop_inquiry.hpp"

#include <csignal>
#include <utility>

namespace ddp::agent {
namespace {

/// For the scheduler to say why it has sent a signal; a busy controller does not keep the ranks from being
/// stopped.
constexpr std::chrono::seconds kLookPatience{2};
constexpr std::chrono::seconds kLookPause{1};

}  // namespace

StopInquiry::StopInquiry(EventLoop& loop, const LaunchPlan& plan, const HeadRecords& records,
                         JobInquiry& inquiry, LostNodes& lost_nodes, DeadlineWatch& deadline, Post post)
    : loop_(loop),
      plan_(plan),
      records_(records),
      inquiry_(inquiry),
      lost_nodes_(lost_nodes),
      deadline_(deadline),
      post_(std::move(post)) {}

void StopInquiry::on_signal(int signal) {
  const auto stop = interpret(signal, DeadlineSource::start);
  if (!stop) return;
  note_stop();
  if (signal == SIGTERM && stop_signal_came_ && !std::exchange(term_came_, true)) post_(JobEnds{});
  stop_signal_came_ = stop_signal_came_ || stop->reason == StopReason::time_limit;
  if (stop->certainty == Certainty::asked) return stop_and_ask(*stop);
  const bool first = !undecided_stop_;
  if (inquiry_.has_job() && stop->reason == StopReason::interrupt && first) {
    undecided_stop_ = stop;
    asks_again_ = inquiry_.under_way();
    return look_at_job();
  }
  if (!first) post_undecided();
  post_(*stop);
}

std::optional<StopWanted> StopInquiry::interpret(int signal, DeadlineSource source) const {
  return interpret_signal(
      signal, plan_,
      {std::chrono::system_clock::now(), deadline_.deadline(), records_.cancel_recorded(), source});
}

void StopInquiry::note_stop() {
  if (!stop_began_) stop_began_ = std::chrono::steady_clock::now();
  deadline_.forgo_stop_signal();
}

void StopInquiry::stop_and_ask(const StopWanted& stop) {
  if (std::exchange(asked_about_signal_, true)) return;  // the same signal again is not a second request
  undecided_signal_ = stop.signal;
  post_(stop);  // first: the ranks have no time to lose
  look_at_job();
}

void StopInquiry::post_undecided() {
  post_(*std::exchange(undecided_stop_, std::nullopt));
}

void StopInquiry::look_at_job() {
  if (!inquiry_.has_job() || ended_ || inquiry_.under_way()) return;
  look_timer_ = loop_.after(kLookPatience, [this] { lose_patience(); });
  inquiry_.ask([this](JobFate fate) { on_look(fate); });
}

void StopInquiry::lose_patience() {
  if (!undecided_stop_) return;
  undecided_stop_->certainty = Certainty::asked;
  post_undecided();
}

void StopInquiry::on_look(JobFate fate) {
  loop_.cancel(look_timer_);
  if (std::exchange(asks_again_, false)) return look_at_job();
  auto stop = std::exchange(undecided_stop_, std::nullopt);
  if (fate == JobFate::unknown && plan_.requeue && !ended_) return look_again(stop);
  if (const auto end = inquiry_.end_time()) deadline_.take(*end);
  auto reason = inquiry_.explain(fate);
  // After the stop signal it is the program that requeues its job, as Lightning does. A TERM that has come
  // meanwhile is how Slurm stops the job for it.
  const bool is_requeued = reason == StopReason::requeued || reason == StopReason::taken_back;
  if (is_requeued && stop_signal_came_) {
    reason.reset();
    stop.reset();
  }
  // The ranks may take until the scheduler kills head with them.
  if (reason == StopReason::node_failed && plan_.requeue) lost_nodes_.begin();
  const auto signal = stop ? stop->signal : undecided_signal_;
  undecided_signal_.reset();
  if (reason) {
    stop = StopWanted{*reason, stop ? stop->signal : SIGTERM};
  } else if (signal && fate == JobFate::running) {
    stop = interpret(*signal, DeadlineSource::scheduler);
  }
  if (stop) return post_(*stop);
  post_(StopStands{});
}

/// A run that may go on is not called cancelled before the scheduler has said so, as long as there is time.
void StopInquiry::look_again(std::optional<StopWanted> stop) {
  if (stop) {
    stop->certainty = Certainty::asked;
    post_(*stop);
  }
  look_timer_ = loop_.after(kLookPause, [this] { look_at_job(); });
}

}  // namespace ddp::agent
