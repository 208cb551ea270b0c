#include "cli/launchers/ssh/keys/ssh_options.hpp"

#include <array>

#include "cli/spec/run_spec.hpp"

namespace ddp::cli {
namespace {

constexpr std::array kStages = {Choice{Stage::shared, "shared"}, Choice{Stage::push, "push"}};

}  // namespace

void SshOptions::describe(Fields& fields) {
  fields.sections({"hosts", "machines to run on; the first `resources.nodes` with enough slots are taken"},
                  "host", hosts, [&](SshHost& host) {
                    fields.text({"host", "as ssh on the submit host knows it"}, host.host);
                    fields.integer({"slots", "the most ranks that it takes; any number if absent"},
                                   host.slots, {.min = 1, .max = 4'096});
                    fields.text({"address", "to connect to in place of its name"}, host.address);
                  });
  fields.path({"host_file", "more hosts, a line each: `node1 slots=4`"}, host_file);
  fields.text({"user", "on the hosts; the default is that of ~/.ssh/config, else your own"}, user);
  fields.integer({"port", "of their sshd; the default is that of ~/.ssh/config, else 22"}, port,
                 {.min = 1, .max = 65'535});
  fields.path({"identity_file", "private key to use besides those of the agent and of ~/.ssh"},
              identity_file);
  fields.choice(
      {"stage", "how the hosts get programs and run folder: all share one file system, or by a copy"}, stage,
      kStages);
  fields.texts({"push",
                "files and folders to copy, by their paths below the current folder; the ranks start in the "
                "copy; with stage push"},
               push);
  fields.text({"push_folder", "of each host, for what is copied; the default is ~/.ddpsubmit there"},
              push_folder);
  fields.duration({"connect_timeout", "for a host to answer"}, connect_timeout,
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
