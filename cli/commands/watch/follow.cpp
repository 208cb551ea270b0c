#include "cli/commands/watch/follow.hpp"

#include <poll.h>

#include <array>
#include <map>
#include <span>
#include <utility>

#include "cli/commands/watch/limit_watch.hpp"
#include "cli/commands/watch/next_releases.hpp"
#include "cli/commands/watch/progress_notes.hpp"
#include "cli/commands/watch/run_news.hpp"
#include "cli/commands/watch/signal_relay.hpp"
#include "cli/commands/watch/state_watch.hpp"
#include "cli/commands/watch/warning_notes.hpp"
#include "cli/launch/launchers.hpp"
#include "cli/launch/state/resolve_status.hpp"
#include "cli/launch/state/spent_secrets.hpp"
#include "jobenv/record/files/file_tail.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kLogPause{50};      // of files on this machine
constexpr milliseconds kRecordPause{500};  // of files that another machine may write
constexpr milliseconds kRewritePause{250};

std::optional<FileDescriptor> watch_head(const RunPointer& run, const RunStatus& status,
                                         StatusResolver& resolver) {
  // A point of a sweep that is queued has no head of its own yet.
  const bool waits = status.state == RunState::queued && RunFolder(run.run_dir).point();
  auto* launcher = waits ? nullptr : resolver.launcher(run.launcher);
  return launcher != nullptr ? launcher->watch_end(status) : std::nullopt;
}

ProgressLine to_progress_line(const TrainingPace& pace, std::optional<std::chrono::seconds> to_limit,
                              std::chrono::system_clock::time_point now) {
  return {.step = pace.step,
          .total_steps = pace.total_steps,
          .remaining = remaining_time(pace, now),
          .epoch = pace.epoch,
          .loss = pace.loss,
          .samples_per_second = pace.samples_per_second,
          .to_limit = to_limit};
}

/// The loop, the lines that the ranks print, and the progress line.
class Follower {
 public:
  Follower(FollowRequest request, Context& context)
      : request_(std::move(request)),
        context_(context),
        start_(now()),
        resolver_(context.seams()),
        signals_(request_.pointer, request_.attachment, resolver_, context),
        state_(request_.pointer, request_.submitter, request_.logs ? WaitReasons::tell : WaitReasons::skip,
               resolver_, context),
        head_(watch_head(request_.pointer, state_.status(), resolver_)),
        news_(request_.pointer, state_.status(), request_.new_points, context.reporter),
        warnings_(request_.pointer, context.system.clock, context.reporter),
        next_(std::move(request_.next), resolver_, context.system.clock),
        limit_(RunFolder(request_.pointer.run_dir)) {
    const bool tells_progress =
        request_.training && request_.logs && context.reporter.mode() == OutputMode::text;
    if (context.reporter.shows_progress()) return;
    if (tells_progress) progress_notes_.emplace(request_.pointer, context.system.clock, context.reporter);
    request_.training.reset();
  }
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;
  ~Follower() { context_.reporter.progress(std::nullopt); }

  FollowEnd run();

 private:
  enum class Pumped { nothing, lines };

  [[nodiscard]] steady_clock::time_point now() const { return context_.system.clock.steady(); }
  [[nodiscard]] bool has_ended();
  [[nodiscard]] bool points_outlive_head();
  [[nodiscard]] bool is_out_of_time() const;
  [[nodiscard]] milliseconds pause() const;
  void wait(milliseconds at_most);
  Pumped pump_lines();
  Pumped hand_on(const std::vector<LogLine>& lines);
  [[nodiscard]] SignalRelay::Following pump_rest();
  void announce_attempt();
  [[nodiscard]] bool has_shown_stderr_of(const std::optional<Cause>& cause) const;
  [[nodiscard]] bool may_train() const;
  void show_progress();
  [[nodiscard]] std::optional<ProgressLine> look_at_training();
  [[nodiscard]] std::optional<RewrittenLine> look_at_rewritten();
  FollowEnd finish(FollowEnd::Reason reason);
  [[nodiscard]] RunStatus resolve_end();

  FollowRequest request_;
  Context& context_;
  steady_clock::time_point start_;
  StatusResolver resolver_;
  SignalRelay signals_;
  StateWatch state_;                    // looked at when this machine does not see head
  std::optional<FileDescriptor> head_;  // readable when it has ended
  bool head_ended_ = false;
  RunNews news_;
  WarningNotes warnings_;
  NextReleases next_;
  LimitWatch limit_;
  std::optional<ProgressNotes> progress_notes_;  // nullopt: a terminal shows the progress, or nobody wants it
  std::map<int, std::string> last_of_stderr_;    // by rank: the last line of each that was handed on
  std::optional<RewrittenLine> rewritten_;
  steady_clock::time_point rewritten_taken_;
};

FollowEnd Follower::run() {
  using enum FollowEnd::Reason;
  while (true) {
    if (!head_) resolver_.refresh(std::span(&request_.pointer, 1));
    const Pumped pumped = pump_lines();
    news_.tell_attempts(last_of_stderr_);
    warnings_.look();
    show_progress();
    if (progress_notes_) progress_notes_->look();
    if (has_ended()) return finish(run_ended);
    if (is_out_of_time()) return finish(timed_out);  // what comes next reads all points of a sweep
    news_.tell_points();
    next_.release();
    wait(pumped == Pumped::lines ? milliseconds(0) : pause());
    if (signals_.take(head_) == SignalRelay::Following::is_over) return finish(interrupted);
  }
}

bool Follower::has_ended() {
  if (head_ && head_ended_ && points_outlive_head()) head_.reset();
  return head_ ? head_ended_ : state_.look() == StateWatch::Run::is_over;
}

/// The process of a sweep that was killed: the point that it ran stops by itself, a little later.
bool Follower::points_outlive_head() {
  return !state_.status().points.empty() && !is_final(resolver_.resolve(request_.pointer).state);
}

bool Follower::is_out_of_time() const {
  return request_.timeout && now() - start_ >= *request_.timeout;
}

milliseconds Follower::pause() const {
  return head_ && request_.logs ? kLogPause : kRecordPause;
}

void Follower::wait(milliseconds at_most) {
  std::array<pollfd, 2> watched{{{signals_.descriptor(), POLLIN, 0}, {head_ ? head_->get() : -1, POLLIN, 0}}};
  poll(watched.data(), watched.size(), static_cast<int>(at_most.count()));
  head_ended_ = watched[1].revents != 0;
}

/// One portion, so that a rank that prints without end does not keep signals from being seen.
Follower::Pumped Follower::pump_lines() {
  if (!request_.logs) return Pumped::nothing;
  return hand_on(request_.logs->take_lines(now()));
}

Follower::Pumped Follower::hand_on(const std::vector<LogLine>& lines) {
  for (const auto& line : lines) {
    if (line.attempt > news_.newest_attempt()) announce_attempt();
    request_.on_line(line);
    if (line.stream == LogStream::err && !last_line(line.text).empty())
      last_of_stderr_[line.rank] = last_line(line.text);
  }
  context_.reporter.flush();
  if (progress_notes_ && !lines.empty()) progress_notes_->hear_ranks();
  return lines.empty() ? Pumped::nothing : Pumped::lines;
}

/// It may be gigabytes.
SignalRelay::Following Follower::pump_rest() {
  using enum SignalRelay::Following;
  while (request_.logs && hand_on(request_.logs->take_rest()) == Pumped::lines) {
    if (signals_.take_after_end() == is_over) return is_over;
  }
  return goes_on;
}

/// Not, if they were cut or written anew, as a progress bar is.
bool Follower::has_shown_stderr_of(const std::optional<Cause>& cause) const {
  if (!cause || !cause->rank) return false;
  const auto shown = last_of_stderr_.find(*cause->rank);
  return shown != last_of_stderr_.end() && shown->second == last_line(cause->stderr_tail);
}

/// Behind the lines of the attempt before it.
void Follower::announce_attempt() {
  context_.reporter.flush();
  news_.tell_attempts(last_of_stderr_);
}

/// Whether the newest attempt goes on, as far as is known. Who watches head itself is told of its end.
bool Follower::may_train() const {
  if (head_) return true;
  const auto& status = state_.status();
  if (status.state == RunState::queued || status.state == RunState::restarting) return false;
  return status.attempts.empty() || status.attempts.back().outcome.empty();
}

void Follower::show_progress() {
  if (!context_.reporter.shows_progress()) return;
  if (const auto training = look_at_training()) {
    context_.reporter.progress(*training);
  } else if (const auto rewritten = look_at_rewritten()) {
    context_.reporter.progress(*rewritten);
  } else {
    context_.reporter.progress(std::nullopt);
  }
}

std::optional<ProgressLine> Follower::look_at_training() {
  if (!request_.training) return std::nullopt;
  const auto& pace = request_.training->look();
  const bool current = pace && pace->attempt >= news_.newest_attempt() && may_train();
  if (!current) return std::nullopt;
  const auto now = context_.system.clock.now();
  return to_progress_line(*pace, limit_.time_left(pace->attempt, now), now);
}

/// A line that goes on being rewritten is taken a few times a second.
std::optional<RewrittenLine> Follower::look_at_rewritten() {
  const auto line = request_.logs ? request_.logs->rewritten() : std::nullopt;
  if (!line) {
    rewritten_.reset();
  } else if (!rewritten_ || now() - rewritten_taken_ >= kRewritePause) {
    rewritten_ = RewrittenLine{render_log_line(*line, request_.marks)};
    rewritten_taken_ = now();
  }
  return rewritten_;
}

FollowEnd Follower::finish(FollowEnd::Reason reason) {
  context_.reporter.progress(std::nullopt);
  auto status = resolve_end();
  remove_spent_secrets(request_.pointer, status);
  using enum FollowEnd::Reason;
  if (reason == run_ended && pump_rest() == SignalRelay::Following::is_over) reason = interrupted;
  news_.tell_attempts(last_of_stderr_);
  news_.tell_points(status.points);
  warnings_.tell(status);
  FollowEnd end{.reason = reason,
                .signal = signals_.first(),
                .run = add_details(request_.pointer, std::move(status), Details::all, context_.seams().note)};
  end.run.stderr_shown = has_shown_stderr_of(end.run.status.cause);
  add_report(end.run, context_.system.clock.now());
  return end;
}

/// Who watches head itself has not looked at the state since the start.
RunStatus Follower::resolve_end() {
  const auto& known = state_.status();
  if (known.head) context_.system.runner.reap(known.head->pid);
  return head_ ? resolver_.resolve(request_.pointer) : known;
}

}  // namespace

Expected<FollowEnd> follow_run(FollowRequest request, Context& context) {
  if (const auto launcher = make_launcher(request.pointer.launcher, context.seams()); !launcher)
    return tl::unexpected(launcher.error());
  return Follower(std::move(request), context).run();
}

}  // namespace ddp::cli
