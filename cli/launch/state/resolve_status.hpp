#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "cli/launch/launcher.hpp"
#include "cli/store/report/known_run.hpp"
#include "cli/store/state/confirmed_successes.hpp"
#include "cli/store/state/recorded_status.hpp"

namespace ddp::cli {

/// What is shown beside the state: nothing, how far a training is, or its checkpoint, too.
enum class Details { none, progress, all };

/// What load_recorded_status tells, with what is shown beside it: progress, checkpoint.
[[nodiscard]] KnownRun load_recorded_run(const RunPointer& pointer);

/// Adds what is shown beside the state. `note` is told of what stands in the places of files, and is none, in
/// the folder of the run; not of a sweep's points.
[[nodiscard]] KnownRun add_details(const RunPointer& pointer, RunStatus status,
                                   Details details = Details::all, const Note& note = {});

/// Finds out the states of runs: by their records, and for runs without an end in them by what their
/// launchers see. What cannot be read is told as a warning. Submissions that left no answer are completed
/// first. An end that a launcher proves is written into the run's ledger; secrets of a run that is final are
/// removed, if head has not done it. Keeps the launchers: what they have learned lasts as long as this.
class StatusResolver {
 public:
  explicit StatusResolver(const LauncherSeams& seams) : seams_(seams) {}

  /// One state a run, in their order, with one question a launcher, however many runs.
  [[nodiscard]] std::vector<RunStatus> resolve(std::span<const RunPointer> pointers);
  [[nodiscard]] RunStatus resolve(const RunPointer& pointer);
  /// Records that are kept elsewhere are those of now afterwards, as far as they can be had.
  Errors refresh(std::span<const RunPointer> pointers);
  /// As load_recorded_status, with the successes that this user has confirmed before.
  [[nodiscard]] RunStatus load_recorded(const RunPointer& pointer);
  /// nullptr: there is none of that name.
  [[nodiscard]] Launcher* launcher(const std::string& name);

 private:
  /// A run of its own, or a point of a sweep.
  struct Unit {
    RunPointer pointer;
    RunStatus* status;
  };

  static void add_units(const RunPointer& pointer, RunStatus& status, std::vector<Unit>& units);
  /// Of each damaged line once.
  void tell_damage(std::span<const Unit> units);
  void observe(std::span<const Unit> units);
  /// Read when it is first asked for.
  [[nodiscard]] ConfirmedSuccesses& confirmed();
  void remember_successes(std::span<const Unit> units);

  LauncherSeams seams_;
  std::map<std::string, std::unique_ptr<Launcher>> launchers_;
  std::optional<ConfirmedSuccesses> confirmed_;
  std::set<std::string> told_;  ///< damage
};

/// States and details, once.
[[nodiscard]] std::vector<KnownRun> resolve_runs(const std::vector<RunPointer>& pointers,
                                                 const LauncherSeams& seams, Details details = Details::all);
[[nodiscard]] KnownRun resolve_run(const RunPointer& pointer, const LauncherSeams& seams);

}  // namespace ddp::cli
