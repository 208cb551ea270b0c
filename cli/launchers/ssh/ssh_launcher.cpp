#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <map>
#include <mutex>

#include "cli/launch/earlier_ranks.hpp"
#include "cli/launch/lost_start.hpp"
#include "cli/launch/plan/job_base_environment.hpp"
#include "cli/launchers/ssh/connection/host_pool.hpp"
#include "cli/launchers/ssh/fetch/checkpoint_watch.hpp"
#include "cli/launchers/ssh/head_link.hpp"
#include "cli/launchers/ssh/preflight/ssh_preflight.hpp"
#include "cli/launchers/ssh/push/pushed_load.hpp"
#include "cli/launchers/ssh/push/train_paths.hpp"
#include "cli/launchers/ssh/push/user_files.hpp"
#include "cli/launchers/ssh/returning_hosts.hpp"
#include "cli/launchers/ssh/run_hosts.hpp"
#include "cli/launchers/ssh/ssh_launcher.hpp"
#include "cli/launchers/ssh/ssh_targets.hpp"
#include "cli/store/run_id.hpp"
#include "cli/store/state/recorded_status.hpp"
#include "cli/store/state/run_records.hpp"
#include "jobenv/record/program_path.hpp"

namespace ddp::cli {
namespace {

/// All that can fail on several hosts at once.
Errors errors_of(std::vector<std::optional<Error>> errors) {
  Errors found;
  for (auto& error : errors) {
    if (error) found.push_back(std::move(*error));
  }
  return found;
}

/// What is wrong with several hosts, in one message.
Error join_errors(Errors errors) {
  constexpr std::size_t kMost = 4;
  Error joined = std::move(errors.front());
  for (std::size_t index = 1; index < std::min(errors.size(), kMost); ++index)
    joined.message += "; " + errors[index].message;
  if (errors.size() > kMost) joined.message += fmt::format("; and {} more hosts", errors.size() - kMost);
  return joined;
}

/// Starts head on the first host and an agent on each, over one ssh session a host. They go on without it:
/// what is asked later is asked on the first host.
class SshLauncher final : public Launcher {
 public:
  explicit SshLauncher(const LauncherSeams& seams)
      : seams_(seams),
        host_keys_(seams.host_keys),
        connector_(seams.system.runner, seams.submitter, "ddp-" + make_token(random_number()),
                   [this](const std::string& line) { note(line); }),
        silent_connector_(seams.system.runner, seams.submitter, "ddp-" + make_token(random_number()),
                          [](const std::string&) {}),
        pool_(connector_, seams.system.clock),
        head_(pool_, seams),
        run_hosts_(pool_, seams) {}

  [[nodiscard]] const LauncherRow& row() const override { return ssh_launcher; }
  [[nodiscard]] Preflight preflight(const LaunchRequest& request) const override;
  [[nodiscard]] Preflight check(const LaunchRequest& request) override;
  [[nodiscard]] Expected<void> await_no_earlier_ranks(const LaunchRequest& request) override;
  [[nodiscard]] Expected<Submission> submit(const LaunchRequest& request, Attachment attachment,
                                            int lock) override;
  [[nodiscard]] std::vector<JobSighting> find_jobs(std::span<const LostJob> lost) override;
  [[nodiscard]] std::vector<Observation> observe(std::span<const RunStatus> runs) override;
  Errors refresh(std::span<const RunPointer> runs) override;
  [[nodiscard]] Expected<void> tell_head(const RunStatus& run, const std::string& path,
                                         const std::string& text) override;
  [[nodiscard]] Expected<std::optional<Fetched>> fetch(const RunStatus& run) override {
    return run_hosts_.fetch(run);
  }
  [[nodiscard]] RemovedCopies remove_copies(const RunFolder& folder) override {
    return run_hosts_.remove_copies(folder);
  }
  [[nodiscard]] Tending tend(const RunStatus& run) override;
  [[nodiscard]] std::vector<Expected<void>> cancel(std::span<const RunStatus> runs) override;

 private:
  /// What a run is started with on its hosts.
  struct Hosts {
    std::vector<SshTarget> targets;  ///< by node rank
    std::vector<RemoteHost*>
        hosts;  ///< by node rank; none for one that is away, where the run can do without it
    std::vector<std::string> run_dirs;  ///< by node rank
    std::size_t head = 0;               ///< the node rank of the first that is there

    /// On all that are there, at once. The errors that `work` returns.
    Errors do_on_each(const std::function<std::optional<Error>(std::size_t node, RemoteHost& host,
                                                               const std::string& name)>& work) const {
      std::vector<std::optional<Error>> errors(hosts.size());
      do_on_all(hosts.size(), [&](std::size_t node) {
        if (hosts[node] != nullptr) errors[node] = work(node, *hosts[node], targets[node].host);
      });
      return errors_of(std::move(errors));
    }

    void take_secrets_back(const LaunchPlan& plan) const {
      for (RemoteHost* host : hosts)
        if (host != nullptr) cli::take_secrets_back(*host, plan);
    }
  };
  [[nodiscard]] Expected<Hosts> connect_all(const LaunchRequest& request, const RemoteAgent& agent);
  [[nodiscard]] Errors push(const LaunchRequest& request, const PushedAgent& agent, Hosts& hosts);
  [[nodiscard]] static Expected<std::vector<std::string>> find_ranks(const Hosts& hosts);
  [[nodiscard]] static Errors start_nodes(const std::vector<NodeAgentOrder>& nodes, const Hosts& hosts);
  [[nodiscard]] JobSighting find_head(const LostJob& lost);
  [[nodiscard]] Expected<void> take_secrets_back_from_all(const RunFolder& folder);
  [[nodiscard]] Observation observe_one(const RunStatus& run);
  [[nodiscard]] Expected<void> cancel_one(const RunStatus& run);
  [[nodiscard]] std::vector<std::string> look_for_hosts(const RunStatus& run);
  [[nodiscard]] Tending look_for_checkpoints(const RunStatus& run);
  [[nodiscard]] std::unique_ptr<CheckpointWatch> make_watch(const RunStatus& run);
  void add_earlier_hosts(const LaunchRequest& request, Hosts& hosts);

  void note(const std::string& line) {
    const std::lock_guard lock(talk_);
    if (seams_.note) seams_.note(line);
  }

  LauncherSeams seams_;
  std::mutex talk_;
  HostKeyPolicy host_keys_;
  SshConnector connector_;
  SshConnector silent_connector_;  ///< for other threads, while this one talks
  HostPool pool_;
  HeadLink head_;
  RunHosts run_hosts_;
  std::optional<ProcessId> started_head_;      // of the run that was submitted
  std::unique_ptr<ReturningHosts> returning_;  // of that run; it uses the connector
  /// Of a run that is followed, by its folder; nullptr: its checkpoints are not fetched. It uses the
  /// connector.
  std::map<std::string, std::unique_ptr<CheckpointWatch>> watches_;
};

remote::RemoteEnvironment environment_of(const LaunchRequest& request) {
  return {request.environment.variables(), scrubbed_variables(ssh_launcher)};
}

/// A run that is started again has its files.
Preflight SshLauncher::preflight(const LaunchRequest& request) const {
  if (shares_folder(request.spec)) return {};
  if (auto error = check_parts_of_checkpoints(request))
    return {.errors = {std::move(*error)}, .warnings = {}};
  if (has_pushed_files(request.folder)) return {};
  if (auto errors = check_train_paths(request); !errors.empty())
    return {.errors = std::move(errors), .warnings = {}};
  auto found = find_user_files(request.spec, folder_of_user_files(request));
  return {.errors = found ? Errors() : std::move(found.error()), .warnings = {}};
}

Preflight SshLauncher::check(const LaunchRequest& request) {
  const auto agent = find_agent(options_of<SshOptions>(request.spec), request.plan.agent, seams_);
  if (!agent) return {.errors = {agent.error()}, .warnings = {}};
  return check_hosts(request, seams_.submitter, targets_of(request.spec, host_keys_), *agent, pool_);
}

Expected<SshLauncher::Hosts> SshLauncher::connect_all(const LaunchRequest& request,
                                                      const RemoteAgent& agent) {
  Hosts found{.targets = targets_of(request.spec, host_keys_), .hosts = {}, .run_dirs = {}};
  const auto answers = pool_.connect(found.targets, agent);
  for (const auto& host : answers) {
    if (!host && !can_do_without(host, answers, request.plan)) return tl::unexpected(host.error());
    found.hosts.push_back(host ? *host : nullptr);
  }
  const auto first =
      std::ranges::find_if(found.hosts, [](const RemoteHost* host) { return host != nullptr; });
  found.head = static_cast<std::size_t>(first - found.hosts.begin());
  found.run_dirs.assign(found.hosts.size(), request.plan.run_dir);
  return found;
}

Errors SshLauncher::push(const LaunchRequest& request, const PushedAgent& agent, Hosts& hosts) {
  if (auto fetched = run_hosts_.fetch_for_other_host(request.folder, hosts.targets[hosts.head].host);
      !fetched)
    return {fetched.error()};
  const auto load = collect_load(request, agent, seams_);
  if (!load) return {load.error()};
  const auto part_of = [&](std::size_t node) { return node == hosts.head ? RunPart::head : RunPart::node; };
  CopyProgress progress(seams_.system.clock, [this](const std::string& line) { note(line); });
  std::vector<HostLoad> wanted(hosts.hosts.size());
  auto found = hosts.do_on_each([&](std::size_t node, RemoteHost& host, const std::string& name) {
    auto lacks = order_load(host, name, request, *load, part_of(node), seams_);
    if (!lacks) return std::optional(lacks.error());
    wanted[node] = std::move(*lacks);
    return check_room(host, name, wanted[node], *load);
  });
  if (!found.empty()) return found;
  if (const auto& warning = wanted[hosts.head].warning; !warning.empty()) note(warning);
  found = hosts.do_on_each([&](std::size_t node, RemoteHost& host, const std::string& name) {
    announce_copy(wanted[node], name, progress);
    auto run_dir = push_load(host, name, request, *load, wanted[node], part_of(node), progress);
    if (!run_dir) return std::optional(run_dir.error());
    hosts.run_dirs[node] = std::move(*run_dir);
    return std::optional<Error>();
  });
  if (!found.empty()) return found;
  const auto recorded = record_files(request.folder, load->files);
  return recorded ? Errors() : Errors{recorded.error()};
}

/// Also of those that are away. By node rank.
std::vector<NodeAgentOrder> make_orders(const LaunchRequest& request, const std::vector<SshTarget>& targets,
                                        const std::vector<std::string>& run_dirs, std::size_t head_node,
                                        const remote::HeadAddress& head) {
  std::vector<NodeAgentOrder> orders;
  for (std::size_t node = 0; node < targets.size(); ++node) {
    orders.push_back({targets[node],
                      {run_dirs[node], static_cast<int>(node), static_cast<int>(head_node), head,
                       environment_of(request)}});
  }
  return orders;
}

Errors SshLauncher::start_nodes(const std::vector<NodeAgentOrder>& nodes, const Hosts& hosts) {
  std::vector<std::optional<Error>> errors(nodes.size());
  do_on_all(nodes.size(), [&](std::size_t index) {
    if (hosts.hosts[index] == nullptr) return;
    const NodeAgentOrder& node = nodes[index];
    const auto started = ask_for<remote::NodeStarted>(*hosts.hosts[index], node.target.host, node.start);
    if (!started) errors[index] = started.error();
  });
  return errors_of(std::move(errors));
}

/// "4711 on node1". The error is that of a host that does not answer.
Expected<std::vector<std::string>> SshLauncher::find_ranks(const Hosts& hosts) {
  std::vector<Expected<remote::RanksFound>> answers(hosts.hosts.size());
  do_on_all(hosts.hosts.size(), [&](std::size_t node) {
    if (hosts.hosts[node] == nullptr) return;
    answers[node] = ask_for<remote::RanksFound>(*hosts.hosts[node], hosts.targets[node].host,
                                                remote::FindRanks{hosts.run_dirs[node]});
  });
  std::vector<std::string> found;
  for (std::size_t node = 0; node < answers.size(); ++node) {
    if (!answers[node]) return tl::unexpected(answers[node].error());
    for (const int pid : answers[node]->pids)
      found.push_back(std::to_string(pid) + " on " + hosts.targets[node].host);
  }
  return found;
}

/// Those that the run had before, and that a rerun leaves out. One that does not answer is not waited for.
void SshLauncher::add_earlier_hosts(const LaunchRequest& request, Hosts& hosts) {
  const auto plan = load_run_plan(request.folder);
  if (!plan) return;
  for (const auto& name : name_all_hosts(request.folder, *plan)) {
    if (std::ranges::find(hosts.targets, name, &SshTarget::host) != hosts.targets.end()) continue;
    const auto place = find_place(request.folder, name, seams_);
    const auto host = place ? pool_.connect(*place) : tl::unexpected(place.error());
    if (!host) {
      note("warning: " + host.error().message +
           "; the run goes on without it, though its ranks may still run there");
      continue;
    }
    hosts.targets.push_back(place->target);
    hosts.hosts.push_back(*host);
    hosts.run_dirs.push_back(place->agent.push ? run_dir_on_host((*host)->greeting().folder, plan->run_id)
                                               : plan->run_dir);
  }
}

/// Where the host of head is gone, agents keep the ranks until the lease is over.
Expected<void> SshLauncher::await_no_earlier_ranks(const LaunchRequest& request) {
  const auto agent = find_agent(options_of<SshOptions>(request.spec), request.plan.agent, seams_);
  if (!agent) return tl::unexpected(agent.error());
  auto hosts = connect_all(request, *agent);
  if (!hosts) return tl::unexpected(hosts.error());
  for (std::size_t node = 0; agent->push && node < hosts->hosts.size(); ++node) {
    if (hosts->hosts[node] != nullptr)
      hosts->run_dirs[node] = run_dir_on_host(hosts->hosts[node]->greeting().folder, request.folder.run_id());
  }
  add_earlier_hosts(request, *hosts);
  const auto find = [&] { return find_ranks(*hosts); };
  return cli::await_no_earlier_ranks(find, request.plan.waits.lease + kEndPatience, seams_);
}

/// Head comes first, on the first host that is there: the agents have to be told where it is.
Expected<Submission> SshLauncher::submit(const LaunchRequest& request, Attachment, int) {
  const auto agent = find_agent(options_of<SshOptions>(request.spec), request.plan.agent, seams_);
  if (!agent) return tl::unexpected(agent.error());
  auto hosts = connect_all(request, *agent);
  if (!hosts) return tl::unexpected(hosts.error());
  if (auto kept = remember_hosts(request.folder, request.spec); !kept) return tl::unexpected(kept.error());
  if (agent->push) {
    if (auto errors = push(request, *agent->push, *hosts); !errors.empty()) {
      hosts->take_secrets_back(request.plan);
      Error error = join_errors(std::move(errors));
      error.code = ExitCode::preflight_failed;  // nothing was asked to start
      return tl::unexpected(std::move(error));
    }
    std::error_code ignored;  // most runs have no secrets; each host has its own copy
    std::filesystem::remove(request.folder.secrets(), ignored);
  }
  RemoteHost& place = *hosts->hosts[hosts->head];
  const auto& first = hosts->targets[hosts->head].host;
  const auto head =
      ask_for<remote::HeadStarted>(place, first,
                                   remote::StartHead{hosts->run_dirs[hosts->head],
                                                     static_cast<int>(hosts->head), environment_of(request)});
  if (!head) {
    if (agent->push && head.error().code != ExitCode::outcome_unknown) hosts->take_secrets_back(request.plan);
    return tl::unexpected(head.error());
  }
  auto nodes = make_orders(request, hosts->targets, hosts->run_dirs, hosts->head, head->address);
  if (const auto errors = start_nodes(nodes, *hosts); !errors.empty()) {
    (void)place.ask(remote::SendSignal{head->process, SIGTERM});
    if (agent->push) hosts->take_secrets_back(request.plan);
    return tl::unexpected(errors.front());
  }
  Submission submission;
  submission.head = ProcessId{.host = first,
                              .boot_id = head->process.boot_id,
                              .pid = head->process.pid,
                              .start = head->process.start};
  if (agent->push) return submission;  // the secrets of a host go with its agent
  nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(hosts->head));
  returning_ = std::make_unique<ReturningHosts>(silent_connector_, *agent, std::move(nodes),
                                                request.plan.waits.host_look, seams_.system.clock);
  started_head_ = submission.head;
  return submission;
}

/// Head of a pushed run has its records on its own host, which have been read where that answers.
JobSighting SshLauncher::find_head(const LostJob& lost) {
  auto sighting = judge_lost_start(lost, seams_.system.clock.now());
  if (sighting.presence != JobPresence::absent || !HeadLink::is_pushed(lost.folder)) return sighting;
  RunStatus run;
  run.run_dir = lost.folder.root();
  run.token = lost.token;
  const auto read = head_.exchange(run);
  // A host that refuses has no such run.
  if (!read && read.error().code != ExitCode::run_failed) return {.words = read.error().message};
  const auto records = load_run_records(lost.folder, RankEvents::skip);
  if (!records || !derive_status(*records).awaits_answer) return {};
  if (lost.folder.highest_attempt().value_or(-1) > lost.known_attempt) return {};
  if (const auto taken = take_secrets_back_from_all(lost.folder); !taken)
    return {.words = taken.error().message};
  return sighting;
}

/// The error is that of the first host that does not answer: its secrets are still to be taken.
Expected<void> SshLauncher::take_secrets_back_from_all(const RunFolder& folder) {
  const auto plan = load_run_plan(folder);
  if (!plan) return tl::unexpected(plan.error());
  for (const auto& name : plan->hosts) {
    const auto known = load_host(folder.spec(), name);
    const auto agent =
        known ? find_agent(known->options, plan->agent, seams_) : tl::unexpected(known.error());
    const auto host = agent ? pool_.connect({known->target, *agent}) : tl::unexpected(agent.error());
    if (!host) return tl::unexpected(host.error());
    take_secrets_back(**host, *plan);
  }
  return {};
}

std::vector<JobSighting> SshLauncher::find_jobs(std::span<const LostJob> lost) {
  std::vector<JobSighting> sightings;
  for (const auto& one : lost) sightings.push_back(find_head(one));
  return sightings;
}

/// Its last word may have been spoken since the records were read: where they are kept there, they are read
/// once more. Whoever takes this observation reads them here.
Observation SshLauncher::observe_one(const RunStatus& run) {
  if (!run.head) return {.state = run.state, .message = run.message};
  const auto alive = head_.signal(run, 0);
  if (!alive) return {.state = RunState::unknown, .message = alive.error().message};
  if (*alive) return {.state = run.state, .message = run.message};
  if (HeadLink::is_pushed(RunFolder(run.run_dir))) {
    if (const auto read = head_.exchange(run); !read)
      return {.state = RunState::unknown,
              .message = "its records could not be read: " + read.error().message};
  }
  return {.state = RunState::failed,
          .message = explain_death(*run.head, RunFolder(run.run_dir)),
          .log = {},
          .source = "process"};
}

std::vector<Observation> SshLauncher::observe(std::span<const RunStatus> runs) {
  const auto reached = head_.reach(runs);
  std::vector<Observation> observations;
  for (std::size_t index = 0; index < runs.size(); ++index) {
    const bool away = runs[index].head && !reached[index];
    observations.push_back(
        away ? Observation{.state = RunState::unknown, .message = reached[index].error().message}
             : observe_one(runs[index]));
  }
  return observations;
}

Errors SshLauncher::refresh(std::span<const RunPointer> runs) {
  std::vector<RunStatus> pushed;
  for (const auto& pointer : runs) {
    if (!HeadLink::is_pushed(RunFolder(pointer.run_dir))) continue;
    if (auto run = load_recorded_status(pointer); !run.ended) pushed.push_back(std::move(run));
  }
  return head_.exchange_where_it_answers(pushed);
}

Tending SshLauncher::tend(const RunStatus& run) {
  auto tending = look_for_checkpoints(run);
  for (auto& line : look_for_hosts(run)) tending.lines.push_back(std::move(line));
  return tending;
}

/// nullptr: its checkpoints are not fetched, or it had ended before anybody followed it here.
std::unique_ptr<CheckpointWatch> SshLauncher::make_watch(const RunStatus& run) {
  const RunFolder folder(run.run_dir);
  const bool had_ended = (is_final(run.state) || run.ended) && run.head != started_head_;
  if (had_ended || !HeadLink::is_pushed(folder)) return nullptr;
  const auto known = load_host(folder.spec(), run.head->host);
  if (!known || !known->options.fetch_checkpoints) return nullptr;
  auto head = find_place(folder, run.head->host, seams_);
  if (head)
    return std::make_unique<CheckpointWatch>(silent_connector_, std::move(*head), folder,
                                             seams_.system.clock);
  note("warning: what the run has written cannot be fetched: " + head.error().message);
  return nullptr;
}

/// The host of head is known when head has said a word.
Tending SshLauncher::look_for_checkpoints(const RunStatus& run) {
  if (!run.head) return {};
  auto watch = watches_.find(run.run_dir);
  if (watch == watches_.end()) watch = watches_.emplace(run.run_dir, make_watch(run)).first;
  if (!watch->second) return {};
  using Run = CheckpointWatch::Run;
  return watch->second->look(is_final(run.state) || run.ended ? Run::has_ended : Run::goes_on);
}

/// Another head, of a rerun, has agents of its own.
std::vector<std::string> SshLauncher::look_for_hosts(const RunStatus& run) {
  if (!returning_ || !run.head || run.head != started_head_ || run.attempts.empty()) return {};
  const bool restarts = run.state == RunState::restarting;
  const auto& hosts = run.attempts.back().hosts;
  if (!restarts && (run.state != RunState::running || hosts.empty())) return {};
  std::vector<std::string> lines;
  for (const auto& host : returning_->look(hosts))
    lines.push_back(host + " is reachable again: its agent is running, and the next restart uses it");
  return lines;
}

/// Where head does not see the cancel on record, it is handed over.
Expected<void> SshLauncher::cancel_one(const RunStatus& run) {
  if (HeadLink::is_pushed(RunFolder(run.run_dir))) {
    if (auto told = head_.hand_over_cancels(run); !told) return told;
  }
  if (!run.head) return {};
  return head_.signal(run, SIGTERM).map([](bool) {});
}

Expected<void> SshLauncher::tell_head(const RunStatus& run, const std::string& path,
                                      const std::string& text) {
  if (!HeadLink::is_pushed(RunFolder(run.run_dir))) return Launcher::tell_head(run, path, text);
  return head_.hand_over(run, path, text);
}

std::vector<Expected<void>> SshLauncher::cancel(std::span<const RunStatus> runs) {
  std::vector<Expected<void>> results;
  for (const auto& run : runs) {
    const auto told = cancel_one(run);
    if (told) {
      results.emplace_back();
      continue;
    }
    Error error = told.error();
    if (error.code != ExitCode::authentication) error.code = ExitCode::outcome_unknown;
    const std::string advice =
        run.cancel_requested
            ? "its cancel is recorded: head stops the run when it next reads it, or, with ssh.stage: "
              "push, when ddpsubmit next reaches the host. "
            : "cancel it again when the host is reachable. ";
    error.hint = advice + error.hint;
    results.emplace_back(tl::unexpected(std::move(error)));
  }
  return results;
}

}  // namespace

std::unique_ptr<Launcher> make_ssh_launcher(const LauncherSeams& seams) {
  return std::make_unique<SshLauncher>(seams);
}

}  // namespace ddp::cli
