#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <limits>

#include "cli/launch/job_base_environment.hpp"
#include "cli/launch/launcher.hpp"
#include "cli/launch/ssh/host_pool.hpp"
#include "cli/launch/ssh/hosts_of_run.hpp"
#include "cli/launch/ssh/ssh_preflight.hpp"
#include "cli/store/run_id.hpp"
#include "cli/store/run_records.hpp"

namespace ddp::cli {
namespace {

/// Starts head on the first host and an agent on each, over one ssh session a host. They go on without it:
/// what is asked later is asked on the first host.
class SshLauncher final : public Launcher {
 public:
  explicit SshLauncher(const LauncherSeams& seams)
      : host_keys_(seams.host_keys), connector_("ddp-" + make_token(random_number())), pool_(connector_) {}

  [[nodiscard]] std::string_view name() const override { return "ssh"; }
  [[nodiscard]] Attachment default_attachment() const override { return Attachment::attached; }
  [[nodiscard]] Preflight check(const LaunchRequest& request) override {
    return check_hosts(request, targets_of(request.spec, host_keys_), pool_);
  }
  [[nodiscard]] Expected<std::optional<std::string>> render_script(const LaunchRequest&) const override {
    return std::nullopt;
  }
  [[nodiscard]] Expected<int> task_limit() override { return std::numeric_limits<int>::max(); }
  [[nodiscard]] Expected<Submission> submit(const LaunchRequest& request, Attachment attachment,
                                            int lock) override;
  [[nodiscard]] std::vector<Observation> observe(std::span<const RunStatus> runs) override;
  [[nodiscard]] std::vector<Expected<void>> cancel(std::span<const RunStatus> runs) override;
  [[nodiscard]] std::optional<FileDescriptor> watch_end(const RunStatus&) override { return std::nullopt; }

 private:
  /// By node rank; none for hosts that are away, where the run can do without them.
  [[nodiscard]] Expected<std::vector<RemoteHost*>> connect_all(const std::vector<SshTarget>& targets,
                                                               const LaunchPlan& plan);
  [[nodiscard]] Errors start_nodes(const LaunchRequest& request, const std::vector<SshTarget>& targets,
                                   const std::vector<RemoteHost*>& hosts, const remote::HeadAddress& head);
  [[nodiscard]] Observation observe_one(const RunStatus& run);
  /// Whether the head of a run was there to be signalled; 0 only looks.
  [[nodiscard]] Expected<bool> signal_head(const RunStatus& run, int signal);

  HostKeyPolicy host_keys_;
  SshConnector connector_;
  HostPool pool_;
};

remote::RemoteEnvironment environment_of(const LaunchRequest& request) {
  return {request.environment.variables(), scrubbed_variables(LauncherKind::ssh)};
}

Expected<std::vector<RemoteHost*>> SshLauncher::connect_all(const std::vector<SshTarget>& targets,
                                                            const LaunchPlan& plan) {
  std::vector<RemoteHost*> hosts;
  const auto answers = pool_.connect(targets, plan.agent);
  for (const auto& host : answers) {
    if (!host && !can_do_without(host, answers, plan)) return tl::unexpected(host.error());
    hosts.push_back(host ? *host : nullptr);
  }
  return hosts;
}

Errors SshLauncher::start_nodes(const LaunchRequest& request, const std::vector<SshTarget>& targets,
                                const std::vector<RemoteHost*>& hosts, const remote::HeadAddress& head) {
  std::vector<std::optional<Error>> errors(hosts.size());
  do_on_all(hosts.size(), [&](std::size_t node) {
    if (hosts[node] == nullptr) return;
    const remote::StartNode order{request.plan.run_dir, static_cast<int>(node), head,
                                  environment_of(request)};
    if (const auto started = ask_for<remote::NodeStarted>(*hosts[node], targets[node].host, order); !started)
      errors[node] = started.error();
  });
  Errors found;
  for (auto& error : errors) {
    if (error) found.push_back(std::move(*error));
  }
  return found;
}

/// Head comes first, on the first host that is there: the agents have to be told where it is.
Expected<Submission> SshLauncher::submit(const LaunchRequest& request, Attachment, int) {
  const auto targets = targets_of(request.spec, host_keys_);
  const auto hosts = connect_all(targets, request.plan);
  if (!hosts) return tl::unexpected(hosts.error());
  const auto place = std::ranges::find_if(*hosts, [](const RemoteHost* host) { return host != nullptr; });
  const auto node = static_cast<std::size_t>(place - hosts->begin());
  const auto& first = targets[node].host;
  const auto head = ask_for<remote::HeadStarted>(
      **place, first,
      remote::StartHead{request.plan.run_dir, static_cast<int>(node), environment_of(request)});
  if (!head) return tl::unexpected(head.error());
  const auto errors = start_nodes(request, targets, *hosts, head->address);
  if (!errors.empty()) {
    (void)(*place)->ask(remote::SendSignal{head->process, SIGTERM});
    return tl::unexpected(errors.front());
  }
  Submission submission;
  submission.head = ProcessId{.host = first,
                              .boot_id = head->process.boot_id,
                              .pid = head->process.pid,
                              .start = head->process.start};
  return submission;
}

Expected<bool> SshLauncher::signal_head(const RunStatus& run, int signal) {
  const RunFolder folder(run.run_dir);
  const auto target = load_target(folder.spec(), run.head->host);
  if (!target) return tl::unexpected(target.error());
  const auto plan = load_run_plan(folder);
  if (!plan) return tl::unexpected(plan.error());
  const remote::SendSignal order{{run.head->boot_id, run.head->pid, run.head->start}, signal};
  Expected<remote::ProcessSeen> seen = fail(ExitCode::outcome_unknown, "not asked");
  // A connection that was kept may have broken meanwhile.
  for (int round = 0; round < 2 && !seen && seen.error().code == ExitCode::outcome_unknown; ++round) {
    const auto host = pool_.connect(*target, plan->agent);
    if (!host) return tl::unexpected(host.error());
    seen = ask_for<remote::ProcessSeen>(**host, target->host, order);
    if (!seen) pool_.forget(*target);
  }
  return seen.map([](const remote::ProcessSeen& process) { return process.alive; });
}

Observation SshLauncher::observe_one(const RunStatus& run) {
  if (!run.head) return {.state = run.state, .message = run.message};
  const auto alive = signal_head(run, 0);
  if (!alive) return {.state = RunState::unknown, .message = alive.error().message};
  if (*alive) return {.state = run.state, .message = run.message};
  return {.state = RunState::failed,
          .message = fmt::format("its head (process {} on {}) died without naming an end; see logs/head.log",
                                 run.head->pid, run.head->host),
          .log = {},
          .source = "process"};
}

std::vector<Observation> SshLauncher::observe(std::span<const RunStatus> runs) {
  std::vector<Observation> observations;
  for (const auto& run : runs) observations.push_back(observe_one(run));
  return observations;
}

std::vector<Expected<void>> SshLauncher::cancel(std::span<const RunStatus> runs) {
  std::vector<Expected<void>> results;
  for (const auto& run : runs) {
    const auto told = run.head ? signal_head(run, SIGTERM) : Expected<bool>(false);
    if (told) {
      results.emplace_back();
      continue;
    }
    Error error = told.error();
    if (error.code != ExitCode::authentication) error.code = ExitCode::outcome_unknown;
    error.hint = "its cancel is on record: head obeys it when it next looks there. " + error.hint;
    results.emplace_back(tl::unexpected(std::move(error)));
  }
  return results;
}

}  // namespace

std::unique_ptr<Launcher> make_ssh_launcher(const LauncherSeams& seams) {
  return std::make_unique<SshLauncher>(seams);
}

}  // namespace ddp::cli
