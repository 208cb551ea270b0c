#include "cli/launchers/ssh/keys/ssh_options.hpp"

#include <array>

#include "cli/spec/run_spec.hpp"

namespace ddp::cli {
namespace {

constexpr std::array kStages = {Choice{Stage::shared, "shared"}, Choice{Stage::push, "push"}};

}  // namespace

void SshOptions::describe(Fields& fields) {
  fields.sections(
      {"hosts", "hosts to run on; the first `resources.nodes` of them with enough slots are used"}, "host",
      hosts, [&](SshHost& host) {
        fields.text({"host", "host name, as ssh on the submit host knows it"}, host.host);
        fields.integer({"slots", "maximum number of ranks on the host; the default is no limit"}, host.slots,
                       {.min = 1, .max = 4'096});
        fields.text({"address", "address to connect to instead of the host name"}, host.address);
        fields.text({"user", "login name on this host; the default is `ssh.user`"}, host.user);
        fields.integer({"port", "port of sshd on this host; the default is `ssh.port`"}, host.port,
                       {.min = 1, .max = 65'535});
      });
  fields.path({"host_file", "file that lists more hosts, one per line: `ann@node1:2222 slots=4`"}, host_file);
  fields.text({"user", "login name on the hosts; the default is that of ~/.ssh/config, else your own"}, user);
  fields.integer({"port", "port of sshd on the hosts; the default is that of ~/.ssh/config, else 22"}, port,
                 {.min = 1, .max = 65'535});
  fields.path({"identity_file", "private key to try before those of ssh-agent and ~/.ssh"}, identity_file);
  fields.choice({"stage",
                 "how hosts get the programs and the run folder: from a file system that all share (shared), "
                 "or as a copy (push)"},
                stage, kStages);
  fields.texts({"push",
                "with stage: push, files and folders below the current folder to copy to the hosts; ranks "
                "start in the copy"},
               push);
  fields.text({"push_folder",
               "with stage: push, folder on each host for the copies, absolute or in your home there (~/); "
               "the default is "
               "~/.ddpsubmit"},
              push_folder);
  fields.flag(
      {"fetch_checkpoints",
       "with stage: push, bring each new checkpoint, or what a command writes into its output folder, to "
       "this machine while a ddpsubmit follows the run"},
      fetch_checkpoints);
  fields.duration({"connect_timeout", "how long to wait until a host answers"}, connect_timeout,
                  {.min = std::chrono::seconds{1}});
}

std::vector<SshHost> hosts_of_run(const RunSpec& spec) {
  std::vector<SshHost> chosen;
  for (const SshHost& host : options_of<SshOptions>(spec).hosts) {
    const bool wanted = std::ssize(chosen) < spec.resources.nodes;
    if (wanted && (!host.slots || *host.slots >= spec.resources.tasks_per_node)) chosen.push_back(host);
  }
  return chosen;
}

}  // namespace ddp::cli
