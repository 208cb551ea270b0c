#include "jobenv/agent/notify/notifier.hpp"

#include <sys/wait.h>

#include <csignal>
#include <utility>

#include "jobenv/agent/process/log_tail.hpp"
#include "jobenv/record/files/file_tail.hpp"
#include "jobenv/record/program_path.hpp"

namespace ddp::agent {
namespace {

constexpr std::size_t kLongestLine = 200;

std::optional<int> exit_code_of(const std::optional<int>& status) {
  return status && WIFEXITED(*status) ? std::optional(WEXITSTATUS(*status)) : std::nullopt;
}

std::optional<int> signal_of(const std::optional<int>& status) {
  return status && WIFSIGNALED(*status) ? std::optional(WTERMSIG(*status)) : std::nullopt;
}

/// The last line of what it has printed, for people.
std::string render_last_line(const std::string& output) {
  std::string line = to_valid_utf8(last_line(output));
  for (char& c : line)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  if (line.size() > kLongestLine) line = to_valid_utf8(line.substr(0, kLongestLine)) + "…";
  return line;
}

std::string describe_end(const NotifyCallEnd& end, const Secrets& secrets) {
  if (end.failure.empty()) return {};
  const auto line = render_last_line(without_secrets(end.output, secrets));
  return without_secrets(end.failure, secrets) + (line.empty() ? "" : ": " + line);
}

}  // namespace

EnvMap make_notify_environment(const EnvMap& environment, const LaunchPlan& plan, const Secrets& secrets) {
  EnvMap result = environment;
  (void)result.remove_if([](std::string_view name) {
    return name.starts_with("DDPSUBMIT_") || name == "SLURM_JWT";  // the user's pass to Slurm is head's alone
  });
  return result.patched(EnvMap(plan.set)).patched(EnvMap(secrets));
}

Notifier::Notifier(EventLoop& loop, Settings settings, Record record)
    : loop_(loop),
      settings_(std::move(settings)),
      record_(std::move(record)),
      command_environment_(
          make_notify_environment(settings_.environment, settings_.plan, settings_.secrets)) {}

void Notifier::notify(Notification notification) {
  if (gave_up_) return record_left_out(notification, "was not called: head was about to end");
  if (const auto dropped = queue_.push(std::move(notification)))
    record_left_out(*dropped, "was not called: too many newer events were waiting");
  call_next();
}

void Notifier::call_next() {
  if (call_) return;
  called_ = queue_.pop();
  if (!called_) {
    loop_.cancel(half_time_);
    loop_.cancel(deadline_);
    if (finished_) std::exchange(finished_, nullptr)();
    return;
  }
  call_.emplace(loop_, make_process(), render_notification(*called_, settings_.run, settings_.secrets),
                settings_.plan.waits.notify, [this](const NotifyCallEnd& end) { on_end(end); });
}

/// A scheduler sends TERM to all processes of a job that it requeues: the call for that outlives it.
GuardedProcess Notifier::make_process() const {
  const LaunchPlan& plan = settings_.plan;
  GuardedProcess process;
  process.argv = plan.notify_command;
  process.environment = command_environment_.entries();
  process.programs =
      find_programs(plan.notify_command.front(), command_environment_.get("PATH").value_or(kDefaultPath));
  process.work_dir = plan.work_dir;
  process.descriptor_limit = settings_.descriptor_limit;
  if (!plan.traits.scheduler.empty()) process.blocked_signals = {SIGTERM};
  return process;
}

void Notifier::on_end(const NotifyCallEnd& end) {
  const Notification called = std::move(*std::exchange(called_, std::nullopt));
  record_({.attempt = called.attempt,
           .notification = std::string(name_of(called.event)),
           .code = exit_code_of(end.status),
           .signal = signal_of(end.status),
           .milliseconds = static_cast<int>(end.took.count()),
           .message = describe_end(end, settings_.secrets)});
  call_.reset();
  call_next();
}

void Notifier::finish(std::function<void()> done) {
  finished_ = std::move(done);
  if (!call_) return call_next();
  half_time_ = loop_.after(settings_.plan.waits.notify / 2, [this] { give_up_all_but_last(); });
  deadline_ = loop_.after(settings_.plan.waits.notify, [this] { give_up(); });
}

void Notifier::give_up_all_but_last() {
  if (queue_.size() == 0) return;
  while (queue_.size() > 1)
    if (const auto older = queue_.pop())
      record_left_out(*older, "was not called: head was about to end, and a newer event was waiting");
  if (call_) call_->abort();
}

void Notifier::give_up() {
  gave_up_ = true;
  while (const auto left = queue_.pop()) record_left_out(*left, "was not called: head was about to end");
  if (call_) call_->abort();
}

void Notifier::record_left_out(const Notification& notification, const std::string& why) const {
  record_({.attempt = notification.attempt,
           .notification = std::string(name_of(notification.event)),
           .message = why});
}

}  // namespace ddp::agent
