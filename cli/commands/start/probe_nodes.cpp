#include "cli/commands/start/probe_nodes.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>

#include "cli/commands/start/load_config.hpp"
#include "cli/commands/watch/follow.hpp"
#include "cli/commands/watch/remove_run.hpp"
#include "cli/doctor/probe_spec.hpp"
#include "cli/launch/launchers.hpp"
#include "cli/launch/plan/programs.hpp"
#include "cli/launch/preflight/check_run.hpp"
#include "cli/launch/start/start_run.hpp"
#include "cli/store/run_id.hpp"
#include "cli/system/signal_watch.hpp"

namespace ddp::cli {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstPortion{2'000};
constexpr milliseconds kLongestPortion{30'000};

Expected<PreparedRun> prepare(RunSpec spec, Launcher& launcher, const Context& context) {
  auto folder = choose_folder(spec, context.system.clock.now());
  return prepare_run(std::move(spec), place_of(std::move(folder), context), launcher,
                     make_token(random_number()));
}

tl::expected<void, Errors> check_real_run(const RunSpec& spec, Launcher& launcher, Context& context) {
  const auto run = prepare(spec, launcher, context);
  if (!run) return refuse(run.error());
  auto warnings = check_run(*run, launcher, context.seams());
  if (!warnings) return tl::unexpected(std::move(warnings.error()));
  say_warnings(*warnings, context.reporter);
  return {};
}

/// Tells how the probe waits, each state once.
class StateTalk {
 public:
  explicit StateTalk(Reporter& reporter) : reporter_(reporter) {}

  void show(const KnownRun& run) {
    const auto& status = run.status;
    // Between two questions to the scheduler its words are not known; the state is the same.
    if (status.state == state_ && (status.message.empty() || status.message == message_)) return;
    reporter_.note(fmt::format("the probe is {}{}{}", words_of(status.state),
                               status.message.empty() ? "" : ": ", status.message));
    state_ = status.state;
    message_ = status.message;
  }

 private:
  Reporter& reporter_;
  std::optional<RunState> state_;
  std::string message_;
};

/// In portions, between which its state is told.
Expected<FollowEnd> wait_for_end(const StartedRun& started, Attachment attachment, Context& context) {
  // Holds back signals between the portions; within one, they are its own.
  const SignalWatch held_back;
  StateTalk talk(context.reporter);
  for (auto pause = kFirstPortion;; pause = std::min(pause * 2, kLongestPortion)) {
    auto end = follow_run({.pointer = started.pointer, .attachment = attachment, .timeout = pause}, context);
    if (!end || end->reason != FollowEnd::Reason::timed_out) return end;
    talk.show(end->run);
  }
}

/// Nobody asks for a second try, so that the launcher's order is enough.
Expected<void> stop_probe(const StartedRun& started, const FollowEnd& end, Launcher& launcher,
                          Context& context) {
  context.reporter.note("stopping the probe");
  const auto cancelled = launcher.cancel({&end.run.status, 1});
  if (!cancelled.front()) return cancelled.front();
  const auto stopped = follow_run({.pointer = started.pointer}, context);
  return stopped ? Expected<void>{} : tl::unexpected(stopped.error());
}

tl::unexpected<Errors> interrupted_probe(int signal) {
  return refuse({signal == SIGINT ? ExitCode::interrupted : ExitCode::terminated,
                 "interrupted; the probe and its files were removed"});
}

}  // namespace

tl::expected<EndedProbe, Errors> probe_nodes(const RunSpec& spec, Context& context) {
  auto launcher = make_launcher(spec.launcher->name, context.seams());
  if (!launcher) return refuse(launcher.error());
  if (const auto checked = check_real_run(spec, **launcher, context); !checked)
    return tl::unexpected(checked.error());
  const auto paths =
      find_training_here(&spec, context.own_folder, context.current_folder, context.seams().submitter).paths;
  // A run that copies ddptrain looks itself whether the hosts can start it.
  const bool has_trainer = shares_folder(spec) && access(paths.trainer.c_str(), X_OK) == 0;
  auto run =
      prepare(make_probe_spec(spec, paths.agent, has_trainer ? paths.trainer : ""), **launcher, context);
  if (!run) return refuse(run.error());
  run->request.plan.libraries = paths.libraries;
  const auto attachment = spec.launcher->default_attachment;
  const auto started = start_run(*run, FolderKind::fresh, attachment, **launcher, context.seams());
  if (!started) return refuse(started.error());
  if (!started->pointer.job_id.empty())
    context.reporter.note(fmt::format("the probe is {} job {}; Ctrl-C cancels it",
                                      spec.launcher->traits.scheduler, started->pointer.job_id));
  auto end = wait_for_end(*started, attachment, context);
  if (!end) return refuse(end.error());
  if (end->signal != 0) {
    if (end->reason == FollowEnd::Reason::interrupted) {
      if (const auto stopped = stop_probe(*started, *end, **launcher, context); !stopped)
        return refuse(stopped.error());
    }
    remove_run(end->run.pointer, context);
    return interrupted_probe(end->signal);
  }
  auto report = load_probe_report(run->request.folder, spec);
  return EndedProbe{std::move(end->run), std::move(report)};
}

}  // namespace ddp::cli
