#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <variant>

#include "cli/launch/earlier_ranks.hpp"
#include "cli/launch/launcher.hpp"
#include "cli/launch/lost_start.hpp"
#include "cli/launch/plan/launch_plan_builder.hpp"
#include "cli/launch/preflight/training_data.hpp"
#include "cli/launchers/local/local_launcher.hpp"
#include "cli/launchers/local/local_limits.hpp"
#include "cli/launchers/local/processes_of_run.hpp"
#include "cli/system/pipe.hpp"
#include "jobenv/record/process_descriptor.hpp"
#include "jobenv/remote/remote_messages.hpp"

namespace ddp::cli {
namespace {

/// For head to claim an attempt. Where its disk does not answer, the run is followed without that word.
constexpr std::chrono::milliseconds kHeadPatience{10'000};

/// Waits for head's one line. Why it does not run; nullopt: it does, or it has not said.
std::optional<std::string> hear_refusal(const FileDescriptor& head) {
  pollfd source{head.get(), POLLIN, 0};
  std::array<char, PIPE_BUF> line{};
  if (poll(&source, 1, static_cast<int>(kHeadPatience.count())) <= 0) return std::nullopt;
  const ssize_t size = read(head.get(), line.data(), line.size());
  if (size <= 0) return std::nullopt;
  const auto word = remote::parse_answer({line.data(), static_cast<std::size_t>(size - 1)});  // no newline
  const auto* refused = word ? std::get_if<remote::Refused>(&*word) : nullptr;
  return refused != nullptr ? std::optional(refused->why) : std::nullopt;
}

/// Starts ddp-agent as a process of this machine, in a session of its own.
class LocalLauncher final : public Launcher {
 public:
  explicit LocalLauncher(const LauncherSeams& seams) : seams_(seams) {}

  [[nodiscard]] const LauncherRow& row() const override { return local_launcher; }
  [[nodiscard]] Preflight preflight(const LaunchRequest& request) const override;
  [[nodiscard]] Expected<void> await_no_earlier_ranks(const LaunchRequest& request) override;
  [[nodiscard]] Expected<Submission> submit(const LaunchRequest& request, Attachment attachment,
                                            int lock) override;
  [[nodiscard]] std::vector<JobSighting> find_jobs(std::span<const LostJob> lost) override;
  [[nodiscard]] std::vector<Observation> observe(std::span<const RunStatus> runs) override;
  [[nodiscard]] std::vector<Expected<void>> cancel(std::span<const RunStatus> runs) override;
  [[nodiscard]] std::optional<FileDescriptor> watch_end(const RunStatus& run) override;

 private:
  [[nodiscard]] Observation observe_one(const RunStatus& run) const;
  [[nodiscard]] Expected<void> cancel_one(const RunStatus& run) const;

  LauncherSeams seams_;
};

Preflight LocalLauncher::preflight(const LaunchRequest& request) const {
  const auto machine = seams_.system.host.resources();
  Preflight found{.errors = find_exceeded_limits(request.spec, machine),
                  .warnings = find_loose_limits(request.spec, machine)};
  if (auto missing = find_missing_training_data(request.spec, request.folder))
    found.errors.push_back(std::move(*missing));
  return found;
}

/// The guard of a head that has died may be stopped, and its ranks train on.
Expected<void> LocalLauncher::await_no_earlier_ranks(const LaunchRequest& request) {
  std::set<std::string> folders;
  for (const int point : request.part ? points_of(*request.part) : std::vector<int>{})
    folders.insert(request.folder.point_folder(point).root());
  if (!request.part) folders.insert(request.folder.root());
  const auto find = [&]() -> Expected<std::vector<std::string>> {
    std::vector<std::string> found;
    for (const int pid : seams_.system.host.rank_processes(folders)) found.push_back(std::to_string(pid));
    return found;
  };
  return cli::await_no_earlier_ranks(find, kEndPatience, seams_);
}

/// Head is started or it is not, and says so itself: it needs no lock. Why it does not run, only this process
/// may hear: the disk of its log may be the one that is full.
Expected<Submission> LocalLauncher::submit(const LaunchRequest& request, Attachment attachment, int) {
  auto argv = request.part ? sweep_command(request.plan, points_of(*request.part), request.token)
                           : head_command(request.plan);
  auto attached =
      attachment == Attachment::attached ? make_socket_pair() : Expected<SocketPair>(SocketPair{});
  auto ready = request.part ? Expected<Pipe>(Pipe{}) : make_pipe();
  if (!attached || !ready) return tl::unexpected(attached ? ready.error() : attached.error());
  std::vector<int> inherited;
  const auto hand_on = [&](const char* option, const FileDescriptor& end) {
    if (!end.is_open()) return;
    argv.insert(argv.end(), {option, std::to_string(end.get())});
    inherited.push_back(end.get());
  };
  hand_on("--attached-fd", attached->theirs);
  hand_on("--ready-fd", ready->sink);
  if (request.input >= 0) {
    argv.insert(argv.end(), {"--stdin-fd", std::to_string(request.input)});
    inherited.push_back(request.input);
  }
  const auto pid = seams_.system.runner.start_daemon({.argv = std::move(argv),
                                                      .environment = request.environment,
                                                      .folder = request.plan.work_dir,
                                                      .log = request.folder.head_log(),
                                                      .inherited_descriptors = std::move(inherited)});
  if (!pid) return tl::unexpected(pid.error());
  Submission submission;
  submission.attachment = std::move(attached->ours);
  submission.head = ProcessId{.host = seams_.system.host.name(),
                              .boot_id = seams_.system.host.boot_id(),
                              .pid = *pid,
                              .start = seams_.system.host.start_of(*pid).value_or(0)};
  ready->sink = FileDescriptor();
  const auto refusal = ready->source.is_open() ? hear_refusal(ready->source) : std::nullopt;
  if (refusal) return fail(ExitCode::run_failed, "the run was not started: " + *refusal);
  return submission;
}

std::vector<JobSighting> LocalLauncher::find_jobs(std::span<const LostJob> lost) {
  std::vector<JobSighting> sightings;
  for (const auto& one : lost) sightings.push_back(judge_lost_start(one, seams_.system.clock.now()));
  return sightings;
}

std::vector<Observation> LocalLauncher::observe(std::span<const RunStatus> runs) {
  std::vector<Observation> observations;
  for (const auto& run : runs) observations.push_back(observe_one(run));
  return observations;
}

Observation LocalLauncher::observe_one(const RunStatus& run) const {
  if (!run.head) return {.state = run.state, .message = run.message};
  switch (liveness_of(*run.head, seams_.system.host)) {
    case Liveness::alive:
      return {.state = run.state, .message = run.message};
    case Liveness::dead:
      return {.state = RunState::failed,
              .message = explain_death(*run.head, RunFolder(run.run_dir)),
              .log = {},
              .source = "process"};
    case Liveness::elsewhere:
      break;
  }
  return {.state = RunState::unknown, .message = "the run's head is on " + run.head->host + ": ask there"};
}

std::vector<Expected<void>> LocalLauncher::cancel(std::span<const RunStatus> runs) {
  std::vector<Expected<void>> results;
  for (const auto& run : runs) results.push_back(cancel_one(run));
  return results;
}

/// What cannot be read has named it.
Error explain_unnamed_head(const RunStatus& run) {
  return {ExitCode::outcome_unknown,
          fmt::format("the process id of the run's head is unknown: {}", fmt::join(run.damage, "; ")),
          fmt::format("find it, and end it by its process id: {}", find_processes_of(run.run_dir))};
}

Expected<void> LocalLauncher::cancel_one(const RunStatus& run) const {
  if (!run.head && run.state == RunState::unknown && !run.damage.empty())
    return tl::unexpected(explain_unnamed_head(run));
  if (!run.head) return {};
  if (liveness_of(*run.head, seams_.system.host) == Liveness::elsewhere) {
    return fail(ExitCode::outcome_unknown, "the run's head is on " + run.head->host, "cancel it there");
  }
  const auto process = open_process(*run.head, seams_.system.host);
  return process ? seams_.system.host.signal(*process, SIGTERM) : Expected<void>{};
}

std::optional<FileDescriptor> LocalLauncher::watch_end(const RunStatus& run) {
  if (!run.head || liveness_of(*run.head, seams_.system.host) != Liveness::alive) return std::nullopt;
  auto process = open_process(*run.head, seams_.system.host);
  if (!process || !tells_end(*process)) return std::nullopt;
  return std::move(*process);
}

}  // namespace

std::unique_ptr<Launcher> make_local_launcher(const LauncherSeams& seams) {
  return std::make_unique<LocalLauncher>(seams);
}

}  // namespace ddp::cli
