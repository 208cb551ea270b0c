#pragma once

#include <optional>
#include <utility>

#include "jobenv/agent/controller/run_event.hpp"

namespace ddp::agent {

/// The order to stop the ranks, and what is still to be heard of it. A scheduler's signal reaches head,
/// agents and ranks at about the same time, in any order, and what it meant only the scheduler can tell.
/// Knows no clock.
class StopOrder {
 public:
  /// Who has told of a stop. What only agents tell is a rumour, of which head may hear more.
  enum class Teller { head, agent };

  /// What the ranks stop for; nullopt: nothing.
  [[nodiscard]] const std::optional<StopWanted>& stop() const { return stop_; }
  /// Wanted after a failure: no other attempt follows.
  [[nodiscard]] const std::optional<StopWanted>& late() const { return late_; }
  /// Whether head has told it, rather than agents alone.
  [[nodiscard]] bool is_of_head() const { return (stop_ && !is_rumour_) || late_; }
  /// How often people have asked for it, of head itself.
  [[nodiscard]] int requests() const { return requests_; }
  /// Whether the end of the ranks has no name yet, because more may be heard.
  [[nodiscard]] bool awaits_word() const { return notice_pending_ || answer_pending_; }
  [[nodiscard]] bool awaits_answer() const { return answer_pending_; }

  /// Head has been told; whether it counts is a question of its own.
  void count(const StopWanted& wanted);
  /// Whether head's `wanted` is the true reason of what was taken for a failure, or for another stop.
  [[nodiscard]] bool is_explained_by(const StopWanted& wanted) const;

  /// True: it is news, not the reason that was known.
  [[nodiscard]] bool take(const StopWanted& stop, Teller teller);
  /// Who spread the rumour did so because of a loss, when head has not heard of a stop either. True: there
  /// was one.
  [[nodiscard]] bool withdraw_rumour();
  /// The first one counts, and none after a stop.
  void take_late(const StopWanted& wanted);

  /// From now on a signal to head may explain what has happened. False: it may already.
  [[nodiscard]] bool await_notice() { return !std::exchange(notice_pending_, true); }
  void end_notice() { notice_pending_ = false; }
  /// The scheduler has told, or is not waited for any more.
  void end_answer() { answer_pending_ = false; }
  /// Nothing is awaited any more.
  void begin_attempt() { is_rumour_ = notice_pending_ = answer_pending_ = false; }

 private:
  std::optional<StopWanted> stop_;
  std::optional<StopWanted> late_;
  int requests_ = 0;
  bool is_rumour_ = false;  ///< only agents have heard of it
  bool notice_pending_ = false;
  bool answer_pending_ = false;  ///< why the ranks are stopped
};

}  // namespace ddp::agent
