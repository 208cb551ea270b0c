#include "cli/launchers/ssh/keys/host_file.hpp"
#include "cli/launchers/ssh/keys/host_names.hpp"
#include "cli/launchers/ssh/keys/pushed_paths.hpp"
#include "cli/launchers/ssh/keys/ssh_checks.hpp"
#include "cli/launchers/ssh/keys/ssh_options.hpp"
#include "cli/launchers/ssh/keys/ssh_warnings.hpp"
#include "cli/launchers/ssh/pushed_checkpoint.hpp"
#include "cli/launchers/ssh/ssh_launcher.hpp"

namespace ddp::cli {
namespace {

std::unique_ptr<LauncherOptions> make_ssh_options() {
  return std::make_unique<SshOptions>();
}

void complete_ssh_hosts(RunSpec& spec, Errors& errors) {
  add_hosts_of_file(spec, errors);
  for (SshHost& host : options_of<SshOptions>(spec).hosts) take_user_and_port_apart(host);
}

std::vector<std::string> name_ssh_hosts(const RunSpec& spec) {
  std::vector<std::string> names;
  for (const SshHost& host : hosts_of_run(spec)) names.push_back(host.host);
  return names;
}

bool have_one_file_system(const RunSpec& spec) {
  return options_of<SshOptions>(spec).stage == Stage::shared;
}

std::string look_at_host(const std::string& host) {
  return "ssh " + host + " top -bn1";
}

constexpr std::string_view kFirstSshLines = R"(resources:
  nodes: 2                # number of hosts
  tasks_per_node: 1       # number of ranks on each host; on hosts with GPUs, one for each GPU
  # gpus_per_node: 1      # number of GPUs to use on each host

ssh:
  hosts: [node1, node2]   # your hosts, as in 'ssh node1'
  # stage: push           # copies the files to the hosts; needed if the hosts do not share this folder
  # push: [train.py]      # files and folders in this folder to copy
)";

}  // namespace

const LauncherRow ssh_launcher{.name = SshOptions::kLauncher,
                               .traits = {.setup = SetupPlace::in_agents,
                                          .stop = StopReaches::record,
                                          .agents_started_by = AgentsStartedBy::submitter,
                                          .agents_return = true,
                                          .sees_end_of_agents = false,
                                          .names_hosts = true},
                               .default_attachment = Attachment::attached,
                               .environment = EnvironmentOf::node,
                               .starts_with_fewer_nodes = true,
                               .section_doc = "options of the ssh launcher",
                               .make_options = make_ssh_options,
                               .first_lines = kFirstSshLines,
                               .changeable_keys = {"ssh.hosts", "ssh.host_file", "ssh.fetch_checkpoints"},
                               .section_is_shared = "a sweep has one set of hosts",
                               .refuses_sweeps = "a sweep does not run on ssh hosts in this version",
                               .complete = complete_ssh_hosts,
                               .check = check_ssh,
                               .warn = warn_of_ssh_keys,
                               .name_hosts = name_ssh_hosts,
                               .shares_folder = have_one_file_system,
                               .copies_file = names_pushed_file,
                               .make = make_ssh_launcher,
                               .by_hand = {.look_at_host = look_at_host},
                               .place_of_checkpoint = place_of_checkpoint};

}  // namespace ddp::cli
