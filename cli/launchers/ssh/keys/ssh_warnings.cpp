#include "cli/launchers/ssh/keys/ssh_warnings.hpp"

#include <algorithm>

#include "cli/launchers/ssh/keys/ssh_options.hpp"
#include "ddp/jobenv/host_list.hpp"
#include "jobenv/config/diagnostic.hpp"

namespace ddp::cli {
namespace {

/// In the order of the file.
std::vector<std::string> find_idle_hosts(const RunSpec& spec) {
  std::vector<std::string> idle;
  const auto used = hosts_of_run(spec);
  for (const SshHost& host : options_of<SshOptions>(spec).hosts) {
    if (std::ranges::find(used, host.host, &SshHost::host) == used.end()) idle.push_back(host.host);
  }
  return idle;
}

}  // namespace

void warn_of_ssh_keys(const RunSpec& spec, std::vector<std::string>& warnings) {
  const auto& ssh = options_of<SshOptions>(spec);
  if (ssh.push_folder && ssh.stage == Stage::shared)
    warnings.emplace_back("ssh.push_folder is not used: ssh.stage is shared");
  if (const auto mark = spec.origins.mark("ssh.push"); mark && ssh.stage == Stage::shared)
    warnings.push_back(render_place(*mark) +
                       ": ssh.push has no effect: ssh.stage is shared, and the hosts see the files");
  if (ssh.fetch_checkpoints && ssh.stage == Stage::shared)
    warnings.emplace_back(
        "ssh.fetch_checkpoints has no effect: ssh.stage is shared, and the checkpoints are here");
  if (const auto idle = find_idle_hosts(spec); !idle.empty()) {
    warnings.push_back("resources.nodes is " + std::to_string(spec.resources.nodes) + ", and ssh.hosts has " +
                       std::to_string(ssh.hosts.size()) + ": not used: " + HostList(idle).compress());
  }
}

}  // namespace ddp::cli
