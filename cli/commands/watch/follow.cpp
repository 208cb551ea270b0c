#include "cli/commands/watch/follow.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "cli/commands/watch/next_releases.hpp"
#include "cli/commands/watch/question_pauses.hpp"
#include "cli/commands/watch/requeue_release.hpp"
#include "cli/commands/watch/run_news.hpp"
#include "cli/commands/watch/signal_relay.hpp"
#include "cli/launch/launchers.hpp"
#include "cli/launch/state/resolve_status.hpp"
#include "cli/launch/state/spent_secrets.hpp"

namespace ddp::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kLogPause{50};      // of files on this machine
constexpr milliseconds kRecordPause{500};  // of files that another machine may write

std::optional<FileDescriptor> watch_head(const RunPointer& run, const RunStatus& status,
                                         StatusResolver& resolver) {
  // What a point of a sweep waits for is no head of its own.
  const bool waits = status.state == RunState::queued && RunFolder(run.run_dir).point();
  auto* launcher = waits ? nullptr : resolver.launcher(run.launcher);
  return launcher != nullptr ? launcher->watch_end(status) : std::nullopt;
}

class Follower {
 public:
  Follower(FollowRequest request, Context& context)
      : request_(std::move(request)),
        context_(context),
        start_(now()),
        resolver_(context.seams()),
        signals_(request_.pointer, request_.attachment, resolver_, context),
        status_(load_recorded_status(request_.pointer)),
        head_(watch_head(request_.pointer, status_, resolver_)),
        news_(request_.pointer, status_, context.reporter),
        next_(std::move(request_.next), resolver_, context.system.clock) {
    if (!context.reporter.shows_progress()) request_.training.reset();
  }
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;
  ~Follower() { context_.reporter.progress(std::nullopt); }

  FollowEnd run();

 private:
  enum class Pumped { nothing, lines };
  enum class Known { no, yes };

  [[nodiscard]] steady_clock::time_point now() const { return context_.system.clock.steady(); }
  [[nodiscard]] bool ended();
  [[nodiscard]] bool records_or_launcher_tell_end();
  void ask_launcher();
  void tell_wait();
  void tend(const RunStatus& recorded);
  void release();
  [[nodiscard]] milliseconds pause() const;
  void wait(milliseconds at_most);
  Pumped pump_lines();
  [[nodiscard]] bool may_train() const;
  void show_progress();
  void announce_attempt();
  FollowEnd finish(FollowEnd::Reason reason);

  FollowRequest request_;
  Context& context_;
  steady_clock::time_point start_;
  StatusResolver resolver_;
  SignalRelay signals_;
  RunStatus status_;
  std::optional<FileDescriptor> head_;  // readable when it has ended
  RunNews news_;
  NextReleases next_;
  bool head_ended_ = false;
  Known known_ = Known::yes;  // whether the launcher could tell the state when it was asked
  QuestionPauses pauses_;
  std::string wait_told_;  // why it is queued
  RequeueRelease release_;
};

/// Not final, and nothing will be added: head has had its last word, or the records are gone.
bool cannot_change(const RunStatus& status, const RunPointer& pointer) {
  return status.ended || !std::filesystem::exists(pointer.run_dir);
}

FollowEnd Follower::run() {
  while (true) {
    if (!head_) resolver_.refresh(std::span(&request_.pointer, 1));
    const Pumped pumped = pump_lines();
    news_.tell_restarts();
    show_progress();
    if (ended()) return finish(FollowEnd::Reason::run_ended);
    news_.tell_points();
    next_.release();
    if (request_.timeout && now() - start_ >= *request_.timeout) return finish(FollowEnd::Reason::timed_out);
    wait(pumped == Pumped::lines ? milliseconds(0) : pause());
    if (signals_.take(head_) == SignalRelay::Following::is_over)
      return finish(FollowEnd::Reason::interrupted);
  }
}

bool Follower::ended() {
  if (head_) return head_ended_;
  return records_or_launcher_tell_end();
}

bool Follower::records_or_launcher_tell_end() {
  auto recorded = load_recorded_status(request_.pointer);
  const bool over = is_final(recorded.state) || cannot_change(recorded, request_.pointer);
  if (!over) tend(recorded);
  // What the launcher could not tell stays untold until it is asked again.
  if (over || status_.state != RunState::unknown) status_ = std::move(recorded);
  if (over) return true;
  if (release_.is_due(status_)) pauses_.cut_short(now());
  if (!pauses_.is_over(now())) return false;
  ask_launcher();
  return is_final(status_.state);
}

void Follower::ask_launcher() {
  const auto before = std::exchange(known_, Known::yes);
  status_ = resolver_.resolve(request_.pointer);
  if (status_.state == RunState::unknown) known_ = Known::no;
  if (known_ == Known::no && before == Known::yes) {
    const auto nothing = "nothing is known of run " + request_.pointer.run_id;
    context_.reporter.note((status_.message.empty() ? nothing : status_.message) + "; asking again");
  }
  if (known_ == Known::yes && before == Known::no)
    context_.reporter.note("run " + request_.pointer.run_id + " is " + std::string(to_string(status_.state)));
  tell_wait();
  pauses_.begin(now());
  release();
}

/// To somebody who looks for lines why there are none, whenever that changes.
void Follower::tell_wait() {
  if (!request_.logs || status_.state != RunState::queued || status_.message.empty()) return;
  if (std::exchange(wait_told_, status_.message) == status_.message) return;
  context_.reporter.note("run " + request_.pointer.run_id + " is queued: " + status_.message);
}

void Follower::tend(const RunStatus& recorded) {
  if (request_.submitter == nullptr) return;
  for (const auto& line : request_.submitter->tend(recorded)) context_.reporter.note(line);
}

/// Somebody waits for a job that was requeued.
void Follower::release() {
  auto* launcher = resolver_.launcher(request_.pointer.launcher);
  if (launcher == nullptr) return;
  if (release_.is_due(status_)) pauses_.shorten();
  release_.release(status_, *launcher);
}

milliseconds Follower::pause() const {
  return head_ && request_.logs ? kLogPause : kRecordPause;
}

void Follower::wait(milliseconds at_most) {
  std::array<pollfd, 2> watched{{{signals_.descriptor(), POLLIN, 0}, {head_ ? head_->get() : -1, POLLIN, 0}}};
  poll(watched.data(), watched.size(), static_cast<int>(at_most.count()));
  head_ended_ = watched[1].revents != 0;
}

/// Behind the lines of the attempt before it.
void Follower::announce_attempt() {
  context_.reporter.flush();
  news_.tell_restarts();
}

/// One portion, so that a rank that prints without end does not keep signals from being seen.
Follower::Pumped Follower::pump_lines() {
  if (!request_.logs) return Pumped::nothing;
  const auto lines = request_.logs->take_lines();
  for (const auto& line : lines) {
    if (line.attempt > news_.newest_attempt()) announce_attempt();
    request_.on_line(line);
  }
  context_.reporter.flush();
  return lines.empty() ? Pumped::nothing : Pumped::lines;
}

/// Whether the newest attempt goes on, as far as is known. Who watches head itself is told of its end.
bool Follower::may_train() const {
  if (head_) return true;
  if (status_.state == RunState::queued || status_.state == RunState::restarting) return false;
  return status_.attempts.empty() || status_.attempts.back().outcome.empty();
}

ProgressLine to_progress_line(const TrainingPace& pace, std::chrono::system_clock::time_point now) {
  return {.step = pace.step,
          .total_steps = pace.total_steps,
          .remaining = remaining_time(pace, now),
          .epoch = pace.epoch,
          .loss = pace.loss,
          .samples_per_second = pace.samples_per_second};
}

void Follower::show_progress() {
  if (!request_.training) return;
  const auto& pace = request_.training->look();
  const bool current = pace && pace->attempt >= news_.newest_attempt() && may_train();
  context_.reporter.progress(current ? std::optional(to_progress_line(*pace, context_.system.clock.now()))
                                     : std::nullopt);
}

FollowEnd Follower::finish(FollowEnd::Reason reason) {
  context_.reporter.progress(std::nullopt);
  if (status_.head) context_.system.runner.reap(status_.head->pid);
  if (head_) status_ = resolver_.resolve(request_.pointer);
  remove_spent_secrets(request_.pointer, status_);
  if (request_.logs && reason == FollowEnd::Reason::run_ended) {
    while (pump_lines() == Pumped::lines) {
    }
    for (const auto& line : request_.logs->take_unfinished()) request_.on_line(line);
    context_.reporter.flush();
  }
  news_.tell_restarts();
  FollowEnd end{
      .reason = reason,
      .signal = signals_.first(),
      .run = add_details(request_.pointer, std::move(status_), Details::all, context_.seams().note)};
  add_report(end.run, context_.system.clock.now());
  return end;
}

}  // namespace

Expected<FollowEnd> follow_run(FollowRequest request, Context& context) {
  if (const auto launcher = make_launcher(request.pointer.launcher, context.seams()); !launcher)
    return tl::unexpected(launcher.error());
  return Follower(std::move(request), context).run();
}

}  // namespace ddp::cli
