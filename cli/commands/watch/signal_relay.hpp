#pragma once

#include <optional>
#include <utility>

#include "cli/commands/command.hpp"
#include "cli/launch/launcher.hpp"
#include "cli/launch/state/resolve_status.hpp"
#include "cli/store/run_store.hpp"
#include "cli/system/signal_watch.hpp"
#include "jobenv/record/files/file_descriptor.hpp"

namespace ddp::cli {

/// A SignalRelay receives the INT and TERM of this process, and passes them on to the run that the process
/// follows and is attached to: INT always, TERM only to a run on this machine.
class SignalRelay {
 public:
  enum class Following { goes_on, is_over };

  /// `resolver` and `context` outlive the relay.
  SignalRelay(RunPointer pointer, Attachment attachment, StatusResolver& resolver, Context& context)
      : pointer_(std::move(pointer)), attachment_(attachment), resolver_(resolver), context_(context) {}

  /// The descriptor becomes readable when a signal has come.
  [[nodiscard]] int descriptor() const { return signals_.descriptor(); }
  /// The first signal that was taken; 0: none was.
  [[nodiscard]] int first() const { return first_; }
  /// The relay takes all signals that have come. `head` is the process of the run; nullopt: this machine does
  /// not see it.
  [[nodiscard]] Following take(const std::optional<FileDescriptor>& head);
  /// The same for a run that has ended: a signal only ends what is still printed.
  [[nodiscard]] Following take_after_end();

 private:
  enum class Passed { no, yes };

  [[nodiscard]] Passed pass_on(int signal, const std::optional<FileDescriptor>& head);
  [[nodiscard]] Passed cancel();

  RunPointer pointer_;
  Attachment attachment_;
  StatusResolver& resolver_;
  Context& context_;
  SignalWatch signals_;
  int first_ = 0;
};

}  // namespace ddp::cli
