#include "cli/top/load/state_questions.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "cli/launch/state/resolve_status.hpp"
#include "cli/launchers/launcher_row.hpp"
#include "cli/output/time_text.hpp"
#include "cli/system/stoppable_runner.hpp"
#include "jobenv/record/files/file_descriptor.hpp"

namespace ddp::cli {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kSilencePatience{5};  // before it is said that somebody does not answer
constexpr milliseconds kStopPatience{500};

void wake(int descriptor) {
  const std::uint64_t one = 1;
  (void)!write(descriptor, &one, sizeof one);
}

/// Signals are for the thread that draws.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

std::string name_asked(const std::string& launcher) {
  const auto* row = find_launcher(launcher);
  if (row != nullptr && row->has_scheduler()) return std::string(row->traits.scheduler);
  return "launcher " + launcher;
}

}  // namespace

/// Between the threads. Lives as long as the last of them.
struct StateQuestions::Shared {
  std::mutex mutex;
  std::vector<StateAnswer> answers;
  FileDescriptor answered{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  FileDescriptor stop{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
};

/// The thread of a launcher.
class StateQuestions::Worker {
 public:
  Worker(std::string launcher, const LauncherSeams& seams, std::shared_ptr<Shared> shared)
      : launcher_(std::move(launcher)),
        shared_(std::move(shared)),
        runner_(seams.system.runner, shared_->stop.get()),
        seams_{.system = {runner_, seams.system.clock, seams.system.host},
               .submitter = seams.submitter,
               .note = {},
               .host_keys = seams.host_keys} {}

  static void begin(const std::shared_ptr<Worker>& worker) {
    const BlockedSignals blocked;
    std::thread([worker] { worker->work(); }).detach();
  }

  [[nodiscard]] bool is_due(Time now) {
    const std::lock_guard lock(shared_->mutex);
    return !question_ && !busy_ && now >= next_;
  }
  void ask(std::span<const OpenRun* const> runs, Time now, milliseconds pause) {
    const std::lock_guard lock(shared_->mutex);
    if (!heard_) heard_ = now;
    asked_ = now;
    next_ = now + pause;
    question_.emplace();
    for (const auto* run : runs) question_->push_back({run->pointer, run->recorded});
    called_.notify_one();
  }
  void hurry() {
    const std::lock_guard lock(shared_->mutex);
    next_ = {};
  }
  /// nullopt: it answers.
  [[nodiscard]] std::optional<Time> silent_since(Time now) {
    const std::lock_guard lock(shared_->mutex);
    const bool waits = (question_ || busy_) && now - asked_ > kSilencePatience;
    return silent_ || waits ? heard_ : std::nullopt;
  }
  void stop() {
    const std::lock_guard lock(shared_->mutex);
    stopped_ = true;
    called_.notify_one();
  }
  [[nodiscard]] bool has_ended() {
    const std::lock_guard lock(shared_->mutex);
    return ended_;
  }

 private:
  /// For the thread that asks.
  struct AskedRun {
    RunPointer pointer;
    RunStatus recorded;
  };

  void work() {
    {
      StatusResolver resolver(seams_);
      while (auto runs = take_question()) answer(*runs, resolver);
    }
    const std::lock_guard lock(shared_->mutex);
    ended_ = true;
  }

  [[nodiscard]] std::optional<std::vector<AskedRun>> take_question() {
    std::unique_lock lock(shared_->mutex);
    called_.wait(lock, [this] { return question_ || stopped_; });
    if (stopped_) return std::nullopt;
    busy_ = true;
    return std::exchange(question_, std::nullopt);
  }

  void answer(std::vector<AskedRun>& runs, StatusResolver& resolver) {
    std::vector<RunPointer> pointers;
    for (const auto& run : runs) pointers.push_back(run.pointer);
    std::vector<RunStatus> states;
    try {
      states = resolver.resolve(pointers);
    } catch (const std::exception&) {  // the filesystem or memory: asked again later
    }
    const auto is_silent = [](const RunStatus& status) {
      return status.unanswered || std::ranges::any_of(status.points, &RunStatus::unanswered);
    };
    const std::lock_guard lock(shared_->mutex);
    busy_ = false;
    silent_ = states.empty() || std::ranges::any_of(states, is_silent);
    if (!silent_) heard_ = std::chrono::steady_clock::now();
    for (std::size_t index = 0; index < states.size(); ++index)
      shared_->answers.push_back(
          {pointers[index].run_id, std::move(runs[index].recorded), std::move(states[index])});
    wake(shared_->answered.get());
  }

  std::string launcher_;
  std::shared_ptr<Shared> shared_;
  StoppableRunner runner_;
  LauncherSeams seams_;
  // Under the mutex of `shared_`:
  std::condition_variable called_;
  std::optional<std::vector<AskedRun>> question_;
  bool busy_ = false, stopped_ = false, ended_ = false, silent_ = false;
  Time asked_{}, next_{};
  std::optional<Time> heard_;  // the last answer, or the first question
};

StateQuestions::StateQuestions(const LauncherSeams& seams, milliseconds pause)
    : shared_(std::make_shared<Shared>()), seams_(seams), pause_(pause) {}

StateQuestions::~StateQuestions() {
  (void)stop();
}

void StateQuestions::ask(std::span<const OpenRun> runs, Time now) {
  std::map<std::string, std::vector<const OpenRun*>> of_launcher;
  for (const auto& run : runs) of_launcher[run.pointer.launcher].push_back(&run);
  for (const auto& [launcher, open] : of_launcher) {
    auto& worker = workers_[launcher];
    if (!worker) {
      worker = std::make_shared<Worker>(launcher, seams_, shared_);
      Worker::begin(worker);
    }
    if (worker->is_due(now)) worker->ask(open, now, pause_);
  }
}

void StateQuestions::hurry() {
  for (const auto& [launcher, worker] : workers_) worker->hurry();
}

std::vector<StateAnswer> StateQuestions::take() {
  std::uint64_t count = 0;
  (void)!read(shared_->answered.get(), &count, sizeof count);
  const std::lock_guard lock(shared_->mutex);
  return std::exchange(shared_->answers, {});
}

int StateQuestions::descriptor() const {
  return shared_->answered.get();
}

std::vector<std::string> StateQuestions::complain(Time now) const {
  std::vector<std::string> lines;
  for (const auto& [launcher, worker] : workers_) {
    const auto since = worker->silent_since(now);
    if (!since) continue;
    lines.push_back(fmt::format("{} has not answered for {}; states are from the run folders",
                                name_asked(launcher), render_age(duration_cast<milliseconds>(now - *since))));
  }
  return lines;
}

StateQuestions::Stopped StateQuestions::stop() {
  wake(shared_->stop.get());
  for (const auto& [launcher, worker] : workers_) worker->stop();
  const auto ended = [this] {
    return std::ranges::all_of(workers_, [](const auto& entry) { return entry.second->has_ended(); });
  };
  for (auto waited = milliseconds(0); waited < kStopPatience; waited += milliseconds(5)) {
    if (ended()) return Stopped::yes;
    std::this_thread::sleep_for(milliseconds(5));
  }
  return ended() ? Stopped::yes : Stopped::not_yet;
}

}  // namespace ddp::cli
