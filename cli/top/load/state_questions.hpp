#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cli/launch/launcher.hpp"
#include "cli/store/run_store.hpp"
#include "cli/store/state/run_state.hpp"

namespace ddp::cli {

/// A run whose records have no end, where it is kept.
struct OpenRun {
  const RunPointer& pointer;
  const RunStatus& recorded;  ///< as the records tell it when the question is asked
};

/// What a launcher says of a run.
struct StateAnswer {
  std::string run_id;
  RunStatus recorded;  ///< of the question
  RunStatus status;
};

/// Asks launchers for the states of runs, each launcher on a thread of its own, so that nobody waits for one
/// that does not answer. One question is for all runs of a launcher, and there are pauses between them. All
/// calls are for one thread.
class StateQuestions {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// What `seams` refers to outlives this object, and is used by several threads.
  StateQuestions(const LauncherSeams& seams, std::chrono::milliseconds pause);
  StateQuestions(const StateQuestions&) = delete;
  StateQuestions& operator=(const StateQuestions&) = delete;
  ~StateQuestions();

  /// Asks the launchers of these runs that are not being asked, and whose pause is over. Only then runs are
  /// copied.
  void ask(std::span<const OpenRun> runs, Time now);
  /// The pauses are over.
  void hurry();
  /// What has been answered since the last call. What nobody has answered is not among it.
  [[nodiscard]] std::vector<StateAnswer> take();
  /// Becomes readable when there is an answer; take() makes it unreadable.
  [[nodiscard]] int descriptor() const;
  /// Who does not answer, one line each.
  [[nodiscard]] std::vector<std::string> complain(Time now) const;

  enum class Stopped { yes, not_yet };
  /// Ends questions that are under way. `not_yet`: a thread still waits for a host; the process may only exit
  /// without cleaning up (std::_Exit).
  [[nodiscard]] Stopped stop();

 private:
  class Worker;
  struct Shared;

  std::shared_ptr<Shared> shared_;
  LauncherSeams seams_;
  std::chrono::milliseconds pause_;
  std::map<std::string, std::shared_ptr<Worker>> workers_;  // by the name of the launcher
};

}  // namespace ddp::cli
