#include "cli/commands/watch/signal_relay.hpp"

#include <csignal>
#include <span>

#include "cli/store/cancel_record.hpp"
#include "cli/store/state/recorded_status.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::cli {
namespace {

/// Two signals of one kind are one while head has not taken the first.
int other_than(int signal) {
  return signal == SIGINT ? SIGTERM : SIGINT;
}

}  // namespace

SignalRelay::Following SignalRelay::take(const std::optional<FileDescriptor>& head) {
  while (const auto signal = signals_.take()) {
    const bool first = first_ == 0;
    if (first) first_ = *signal;
    // TERM comes also when this machine is switched off, which ends no run elsewhere.
    const bool for_the_run = head || *signal == SIGINT || !first;
    if (attachment_ == Attachment::detached || !for_the_run) return Following::is_over;
    if (pass_on(first ? *signal : other_than(first_), head) == Passed::no) return Following::is_over;
    context_.reporter.note(first ? "stopping the run; press Ctrl-C again to kill it" : "killing the run");
  }
  return Following::goes_on;
}

SignalRelay::Following SignalRelay::take_after_end() {
  const auto signal = signals_.take();
  if (signal && first_ == 0) first_ = *signal;
  return signal ? Following::is_over : Following::goes_on;
}

SignalRelay::Passed SignalRelay::pass_on(int signal, const std::optional<FileDescriptor>& head) {
  if (!head) return cancel();
  return context_.system.host.signal(*head, signal) ? Passed::yes : Passed::no;
}

/// To a head elsewhere, by the launcher, which may not get through.
SignalRelay::Passed SignalRelay::cancel() {
  auto* launcher = resolver_.launcher(pointer_.launcher);
  auto status = load_recorded_status(pointer_);
  if (launcher == nullptr || !status.head) return Passed::no;
  const auto recorded = record_cancel(RunFolder(pointer_.run_dir), {status.token}, context_.system);
  status.cancel_requested = recorded.has_value();
  const auto told = launcher->cancel(std::span(&status, 1)).front();
  if (!told) context_.reporter.note(told.error().message);
  if (!told && recorded) context_.reporter.note(told.error().hint);
  return told || recorded ? Passed::yes : Passed::no;
}

}  // namespace ddp::cli
