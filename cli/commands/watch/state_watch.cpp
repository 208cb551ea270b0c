#include "cli/commands/watch/state_watch.hpp"

#include <filesystem>
#include <utility>

#include "cli/store/state/recorded_status.hpp"

namespace ddp::cli {
namespace {

/// Final, or nothing will be added: head has had its last word, or the records are gone.
bool cannot_change(const RunStatus& status, const RunPointer& pointer) {
  return is_final(status.state) || status.ended || !std::filesystem::exists(pointer.run_dir);
}

}  // namespace

StateWatch::StateWatch(RunPointer pointer, Launcher* submitter, WaitReasons reasons, StatusResolver& resolver,
                       Context& context)
    : pointer_(std::move(pointer)),
      submitter_(submitter),
      resolver_(resolver),
      context_(context),
      notes_(pointer_.run_id, reasons, context.reporter),
      status_(load_recorded_status(pointer_)) {}

StateWatch::Run StateWatch::look() {
  auto recorded = load_recorded_status(pointer_);
  const auto helped = tend(recorded);
  if (cannot_change(recorded, pointer_)) {
    status_ = std::move(recorded);
    return helped;
  }
  // What the launcher could not tell stays untold until it is asked again.
  if (status_.state != RunState::unknown) status_ = std::move(recorded);
  const auto now = context_.system.clock.steady();
  if (release_.is_due(status_)) pauses_.cut_short(now);
  if (!pauses_.is_over(now)) return Run::goes_on;
  ask();
  return is_final(status_.state) ? tend(status_) : Run::goes_on;
}

/// Of a run that has ended, whether there is more to wait for.
StateWatch::Run StateWatch::tend(const RunStatus& status) {
  auto* launcher = submitter_ != nullptr ? submitter_ : resolver_.launcher(pointer_.launcher);
  if (launcher == nullptr) return Run::is_over;
  const auto tending = launcher->tend(status);
  for (const auto& line : tending.lines) context_.reporter.note(line);
  return tending.goes_on ? Run::goes_on : Run::is_over;
}

void StateWatch::ask() {
  status_ = resolver_.resolve(pointer_);
  notes_.tell(status_);
  pauses_.begin(context_.system.clock.steady());
  release();
}

void StateWatch::release() {
  auto* launcher = resolver_.launcher(pointer_.launcher);
  if (launcher == nullptr) return;
  if (release_.is_due(status_)) pauses_.shorten();
  release_.release(status_, *launcher);
}

}  // namespace ddp::cli
