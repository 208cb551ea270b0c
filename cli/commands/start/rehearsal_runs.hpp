#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "cli/commands/command.hpp"
#include "cli/launch/start/start_run.hpp"
#include "cli/rehearsal/rehearsal_report.hpp"
#include "cli/store/report/known_run.hpp"
#include "cli/system/signal_watch.hpp"

namespace ddp::cli {

/// What is done to a run when its records tell of a step, or of a later one.
struct StepAction {
  std::int64_t step = 0;
  std::function<Expected<void>(const RunPointer& run)> act;  ///< an error: it came too late
};

struct EndedRehearsal {
  KnownRun run;                                       ///< with its report
  std::optional<Strike> strike;                       ///< nullopt: it had ended before
  std::chrono::system_clock::time_point submitted{};  ///< this time
};

/// The runs of a rehearsal, on this machine, in the way that `run launcher=local` and `rerun` go. While this
/// lives, INT and TERM are for the run that goes on: they stop it, and the errors of the call are of
/// ExitCode::interrupted or terminated. For one thread.
class RehearsalRuns {
 public:
  explicit RehearsalRuns(Context& context) : context_(context) {}

  /// A new run, until it ends.
  [[nodiscard]] tl::expected<EndedRehearsal, Errors> run(RunSpec spec,
                                                         const std::optional<StepAction>& action);
  /// An ended run in its folder, until it ends again.
  [[nodiscard]] tl::expected<EndedRehearsal, Errors> rerun(const RunPointer& pointer,
                                                           const StepAction& action);
  /// Leaves nothing of an ended run.
  void remove(const RunPointer& pointer);
  void remove_all();
  /// All that were started, and are still there.
  [[nodiscard]] const std::vector<RunPointer>& started() const { return started_; }

 private:
  struct Order {
    RunSpec spec;
    RunFolder folder;
    FolderKind kind;
    FileDescriptor lock = {};
  };
  [[nodiscard]] tl::expected<EndedRehearsal, Errors> start_and_follow(
      Order order, const std::optional<StepAction>& action);
  [[nodiscard]] tl::expected<PreparedRun, Errors> prepare(RunSpec spec, RunFolder folder, FolderKind kind);
  [[nodiscard]] std::optional<Strike> strike(const RunPointer& pointer, int first_attempt,
                                             const StepAction& action);
  [[nodiscard]] Launcher& launcher();

  Context& context_;
  SignalWatch signals_;  // holds signals back while no run is followed
  std::unique_ptr<Launcher> launcher_;
  std::vector<RunPointer> started_;
  bool has_warned_ = false;
};

/// Sends a signal to the head of a run, as a scheduler does.
[[nodiscard]] Expected<void> signal_head(const RunPointer& run, int signal, const Context& context);

/// Sends a signal to what the ranks have started, as a scheduler does that tells everyone of a stop.
void signal_children_of_ranks(const RunPointer& run, int signal, const Context& context);

/// kill -9 of a rank of the newest attempt.
[[nodiscard]] Expected<void> kill_rank(const RunPointer& run, int rank, const Context& context);

}  // namespace ddp::cli
