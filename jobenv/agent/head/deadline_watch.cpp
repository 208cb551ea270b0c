#include "jobenv/agent/head/deadline_watch.hpp"

#include <algorithm>
#include <utility>

#include "jobenv/record/signal_name.hpp"

namespace ddp::agent {
namespace {

using std::chrono::milliseconds;
using std::chrono::system_clock;

}  // namespace

DeadlineWatch::DeadlineWatch(EventLoop& loop, const LaunchPlan& plan, JobInquiry& inquiry,
                             OnDeadline on_deadline, OnStopSignal on_stop_signal)
    : loop_(loop),
      plan_(plan),
      inquiry_(inquiry),
      on_deadline_(std::move(on_deadline)),
      on_stop_signal_(std::move(on_stop_signal)) {}

void DeadlineWatch::begin() {
  if (plan_.traits.time_limit != TimeLimitBy::scheduler) return;
  if (deadline_) return expect_stop_signal();
  inquiry_.ask_deadline([this](Time deadline) {
    take(deadline);
    expect_stop_signal();
  });
}

void DeadlineWatch::take(Time deadline) {
  deadline_ = deadline;
  on_deadline_(deadline);
}

void DeadlineWatch::expect_stop_signal() {
  if (!plan_.stop_signal || !(plan_.time_limit || plan_.requeue)) return;
  const auto left = *deadline_ - plan_.signal_lead - system_clock::now();
  loop_.after(std::max(milliseconds(0), std::chrono::ceil<milliseconds>(left)),
              [this] { make_up_for_stop_signal(); });
}

/// The limit may have been raised meanwhile.
void DeadlineWatch::make_up_for_stop_signal() {
  if (stop_signal_forgone_) return;
  inquiry_.ask_deadline([this](Time deadline) {
    take(deadline);
    if (system_clock::now() < deadline - plan_.signal_lead) return expect_stop_signal();
    if (const auto signal = parse_signal(*plan_.stop_signal)) on_stop_signal_(*signal);
  });
}

}  // namespace ddp::agent
