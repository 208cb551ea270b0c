#include "cli/launchers/ssh/preflight/ssh_preflight.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "cli/launchers/ssh/preflight/host_programs.hpp"
#include "cli/store/run_id.hpp"
#include "ddp/jobenv/host_list.hpp"
#include "jobenv/record/files/durable_file.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;

/// A file by which other hosts can tell that they see this folder; goes with this object.
class FolderMark {
 public:
  explicit FolderMark(const fs::path& folder)
      : text_(make_token(random_number())), file_(folder / (".ddpsubmit-" + text_)) {
    made_ = save_file(file_, text_, Durability::visible);
  }
  FolderMark(const FolderMark&) = delete;
  FolderMark& operator=(const FolderMark&) = delete;
  ~FolderMark() {
    std::error_code ignored;
    fs::remove(file_, ignored);
  }

  [[nodiscard]] const Expected<void>& made() const { return made_; }
  [[nodiscard]] remote::See question() const { return {file_, text_}; }

 private:
  std::string text_;
  fs::path file_;
  Expected<void> made_;
};

/// The run folder is not there yet.
fs::path nearest_folder(fs::path folder) {
  std::error_code error;
  while (!fs::is_directory(folder, error) && folder.has_relative_path()) folder = folder.parent_path();
  return folder;
}

Error bad_host(const std::string& host, const std::string& what, std::string hint) {
  return {ExitCode::preflight_failed, host + ": " + what, std::move(hint)};
}

std::optional<Error> judge_version(const SshTarget& target, const remote::Greeting& greeting) {
  if (greeting.version == DDP_VERSION) return std::nullopt;
  return bad_host(target.host, "its ddp-agent has version " + greeting.version + ", this is " DDP_VERSION,
                  "install the same version on all hosts");
}

std::optional<Error> judge_folder(const SshTarget& target, const fs::path& folder, const remote::Seen& seen) {
  if (!seen.same) {
    return bad_host(target.host, "it does not see the same '" + folder.string() + "' as this machine",
                    "set run_root to a folder on a file system that all hosts share, or ssh.stage: push");
  }
  if (seen.problem.empty()) return std::nullopt;
  return bad_host(target.host, "cannot write to the run folder: " + seen.problem,
                  "set run_root to a folder that this user can write to on all hosts");
}

std::optional<Error> judge_session(const SshTarget& target, const remote::Seen& seen) {
  if (seen.killed_user.empty()) return std::nullopt;
  return bad_host(
      target.host,
      "systemd-logind ends all processes of '" + seen.killed_user +
          "' at the end of the session (KillUserProcesses), and would end the run",
      "exempt the user: set KillExcludeUsers=root " + seen.killed_user + " in /etc/systemd/logind.conf");
}

std::optional<Error> check_own_folder(const SshTarget& target, RemoteHost& host) {
  const auto seen =
      ask_for<remote::Seen>(host, target.host, remote::See{host.greeting().folder + "/programs", ""});
  if (!seen) return seen.error();
  if (auto error = judge_session(target, *seen)) return error;
  if (seen->problem.empty()) return std::nullopt;
  return bad_host(target.host, "cannot write to its own folder: " + seen->problem,
                  "set ssh.push_folder to a folder that this user can write to on all hosts");
}

std::optional<Error> check_shared_folder(const SshTarget& target, RemoteHost& host, const FolderMark& mark) {
  if (auto error = judge_version(target, host.greeting())) return error;
  const auto seen = ask_for<remote::Seen>(host, target.host, mark.question());
  if (!seen) return seen.error();
  if (auto error = judge_session(target, *seen)) return error;
  return judge_folder(target, fs::path(mark.question().file).parent_path(), *seen);
}

using Hosts = std::vector<Expected<RemoteHost*>>;

/// Logs of one host would be written over by those of another.
std::optional<Error> find_shared_own_folder(std::size_t index, const std::vector<SshTarget>& targets,
                                            const Hosts& hosts) {
  const auto& own = (*hosts[index])->greeting();
  for (std::size_t other = 0; other < index; ++other) {
    const bool same = hosts[other] && (*hosts[other])->greeting().folder_id == own.folder_id;
    if (!same || own.folder_id.empty()) continue;
    return bad_host(targets[index].host,
                    "its '" + own.folder + "' is that of " + targets[other].host + ", too",
                    "set ssh.push_folder to a folder that each host has for itself, or ssh.stage: shared");
  }
  return std::nullopt;
}

std::vector<std::optional<Error>> check_each(const std::vector<SshTarget>& targets, const Hosts& hosts,
                                             const RemoteAgent& agent, const FolderMark& mark) {
  std::vector<std::optional<Error>> errors(targets.size());
  do_on_all(targets.size(), [&](std::size_t index) {
    const auto& host = hosts[index];
    if (!host) return void(errors[index] = host.error());
    if (agent.push) errors[index] = find_shared_own_folder(index, targets, hosts);
    if (errors[index]) return;
    errors[index] = agent.push ? check_own_folder(targets[index], **host)
                               : check_shared_folder(targets[index], **host, mark);
  });
  return errors;
}

std::string name_run(const std::string& run_dir) {
  const RunFolder folder((fs::path(run_dir)));
  return (folder.point() ? folder.sweep() : folder).run_id();
}

/// Of this user; those of others are not seen.
Preflight look_for_other_runs(const LaunchRequest& request, const std::vector<SshTarget>& targets,
                              const Hosts& hosts) {
  std::vector<Expected<remote::RunsFound>> answers(hosts.size());
  do_on_all(hosts.size(), [&](std::size_t index) {
    if (hosts[index])
      answers[index] = ask_for<remote::RunsFound>(**hosts[index], targets[index].host, remote::FindRuns{});
  });
  Preflight found;
  std::map<std::string, std::set<std::string>> hosts_of;
  for (std::size_t index = 0; index < answers.size(); ++index) {
    if (!answers[index]) {
      found.errors.push_back(answers[index].error());
      continue;
    }
    for (const auto& run_dir : answers[index]->run_dirs)
      if (const auto run_id = name_run(run_dir); run_id != request.folder.run_id())
        hosts_of[run_id].insert(targets[index].host);
  }
  for (const auto& [run_id, names] : hosts_of)
    found.warnings.push_back(fmt::format(
        "run {} has ranks on {}, and both runs share the CPUs and GPUs; to wait for its end: ddpsubmit "
        "wait {}",
        run_id, HostList({names.begin(), names.end()}).compress(), run_id));
  return found;
}

void append(const Preflight& more, Preflight& found) {
  found.errors.insert(found.errors.end(), more.errors.begin(), more.errors.end());
  found.warnings.insert(found.warnings.end(), more.warnings.begin(), more.warnings.end());
}

}  // namespace

std::optional<Error> check_parts_of_checkpoints(const LaunchRequest& request) {
  if (!request.spec.train || request.plan.nodes < 2) return std::nullopt;
  if (!trainer::is_fully_sharded(*request.spec.train)) return std::nullopt;
  return Error{
      ExitCode::preflight_failed,
      "with train.strategy: " + request.spec.train->strategy.name +
          " every rank writes its own part of a checkpoint, but with ssh.stage: push the hosts share "
          "no folder",
      "set ssh.stage: shared, with run_root on a file system that all hosts share, or use one host, or "
      "train.strategy: ddp"};
}

bool can_do_without(const Expected<RemoteHost*>& host, const std::vector<Expected<RemoteHost*>>& hosts,
                    const LaunchPlan& plan) {
  if (host || host.error().code == ExitCode::authentication || plan.fewer_nodes.empty()) return false;
  const auto present = std::ranges::count_if(hosts, [](const auto& each) { return each.has_value(); });
  return present >= plan.fewer_nodes.front();
}

Preflight check_hosts(const LaunchRequest& request, const EnvMap& submitter,
                      const std::vector<SshTarget>& targets, const RemoteAgent& agent, HostPool& pool) {
  Preflight found;
  const FolderMark mark(nearest_folder(request.folder.root().parent_path()));
  if (!mark.made()) found.errors.push_back(mark.made().error());
  const auto hosts = pool.connect(targets, agent);
  auto errors = check_each(targets, hosts, agent, mark);
  for (std::size_t index = 0; index < targets.size(); ++index) {
    auto& error = errors[index];
    if (!error) continue;
    if (can_do_without(hosts[index], hosts, request.plan)) {
      found.warnings.push_back(error->message + "; the run starts without it");
    } else {
      found.errors.push_back(std::move(*error));
    }
  }
  if (!found.errors.empty()) return found;
  append(look_for_other_runs(request, targets, hosts), found);
  append(check_programs(request, submitter, targets, hosts), found);
  return found;
}

}  // namespace ddp::cli
