#include "jobenv/agent/controller/stop_order.hpp"

namespace ddp::agent {
namespace {

/// A signal to head, or to the step, says only that it has to stop; why, the scheduler may tell later.
bool corrects(const StopWanted& wanted, const std::optional<StopWanted>& stop) {
  if (!stop || wanted.certainty == Certainty::asked) return false;
  const bool of_scheduler = wanted.reason == StopReason::time_limit || is_taken_back(wanted.reason);
  return stop->certainty == Certainty::asked || (of_scheduler && stop->reason == StopReason::interrupt);
}

}  // namespace

void StopOrder::count(const StopWanted& wanted) {
  const bool by_people = wanted.reason == StopReason::cancel || wanted.reason == StopReason::interrupt;
  if (by_people && wanted.signal != 0) ++requests_;
}

bool StopOrder::is_explained_by(const StopWanted& wanted) const {
  return is_rumour_ || (notice_pending_ && !stop_) || corrects(wanted, stop_);
}

bool StopOrder::take(const StopWanted& stop, Teller teller) {
  const bool news = !stop_ || stop_->reason != stop.reason;
  stop_ = stop;
  is_rumour_ = teller == Teller::agent;
  if (!is_rumour_) notice_pending_ = false;
  answer_pending_ = stop.certainty == Certainty::asked;
  return news;
}

bool StopOrder::withdraw_rumour() {
  if (!is_rumour_ || !notice_pending_) return false;
  stop_.reset();
  is_rumour_ = answer_pending_ = false;
  return true;
}

void StopOrder::take_late(const StopWanted& wanted) {
  if (!stop_ && !late_) late_ = wanted;
}

}  // namespace ddp::agent
