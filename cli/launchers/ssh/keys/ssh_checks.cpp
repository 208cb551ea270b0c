#include "cli/launchers/ssh/keys/ssh_checks.hpp"

#include <algorithm>

#include "cli/launchers/ssh/keys/host_names.hpp"
#include "cli/launchers/ssh/keys/pushed_paths.hpp"
#include "cli/launchers/ssh/keys/ssh_options.hpp"
#include "jobenv/config/field_reader.hpp"

namespace ddp::cli {
namespace {

constexpr const char* kNameHint =
    "write NAME, USER@NAME, NAME:PORT or an address; a name has letters, digits, '.', '_' and '-'";

class SshChecks {
 public:
  SshChecks(const RunSpec& spec, const ConfigNode& root, Errors& errors)
      : spec_(spec), ssh_(options_of<SshOptions>(spec)), root_(root), errors_(errors) {}

  void run() {
    check_names();
    check_twins();
    if (spec_.launcher->name != SshOptions::kLauncher) return;
    check_push_folder();
    check_push();
    check_number();
    check_min_nodes();
  }

 private:
  void check_names() {
    for (std::size_t index = 0; index < ssh_.hosts.size(); ++index) {
      const SshHost& host = ssh_.hosts[index];
      if (host.host.empty()) {
        if (is_map(index)) report(path_of(index), "this host has no name", "write {host: NAME}");
      } else {
        check_name(path_of(index) + ".host", host.host);
      }
      if (host.address) check_name(path_of(index) + ".address", *host.address);
      if (host.user) check_user(path_of(index) + ".user", *host.user);
    }
    if (ssh_.user) check_user("ssh.user", *ssh_.user);
  }

  /// What is no map has been refused.
  [[nodiscard]] bool is_map(std::size_t index) const {
    const ConfigNode::Entry* hosts = root_.find_path("ssh.hosts");
    return hosts && index < hosts->value.items.size() &&
           hosts->value.items[index].kind == ConfigNode::Kind::map;
  }

  void check_name(const std::string& path, const std::string& name) {
    if (may_mean_slots(name)) {
      const std::size_t colon = name.rfind(':');
      return report(path, "'" + name + "' may mean a port or a number of slots",
                    "write '" + name.substr(0, colon) + " slots=" + name.substr(colon + 1) +
                        "' in a host file, {host: " + name.substr(0, colon) +
                        ", slots: " + name.substr(colon + 1) + "} in ssh.hosts, or port in place of slots");
    }
    if (!is_host_name(name)) report(path, "'" + name + "' is not a valid name for ssh", kNameHint);
  }

  void check_user(const std::string& path, const std::string& user) {
    if (!is_user_name(user))
      report(path, "'" + user + "' is not a valid login name for ssh",
             "write the name of a user on the hosts");
  }

  void check_twins() {
    const auto& hosts = ssh_.hosts;
    for (std::size_t index = 0; index < hosts.size(); ++index) {
      const auto first = std::ranges::find(hosts, hosts[index].host, &SshHost::host);
      if (hosts[index].host.empty() || first == hosts.begin() + static_cast<std::ptrdiff_t>(index)) continue;
      report(path_of(index), "host '" + hosts[index].host + "' appears twice",
             "keep one of them; set slots to allow more ranks on it");
    }
  }

  void check_number() {
    const int nodes = spec_.resources.nodes;
    const auto fit = std::ssize(hosts_of_run(spec_));
    if (fit >= nodes) return;
    const auto all = std::ssize(ssh_.hosts);
    if (all == 0)
      return report(root_.find("ssh") ? "ssh" : "launcher", "launcher 'ssh' needs hosts",
                    "set ssh: {hosts: [node1, node2]}, or ssh.host_file");
    if (all < nodes) {
      return report("resources.nodes",
                    std::to_string(nodes) + " nodes, but ssh.hosts has " + std::to_string(all),
                    "add hosts, or set fewer nodes");
    }
    report("resources.tasks_per_node",
           std::to_string(nodes) + " hosts with " + std::to_string(spec_.resources.tasks_per_node) +
               " slots are needed, and " + std::to_string(fit) + " of " + std::to_string(all) +
               " have that many",
           "set fewer tasks_per_node, or raise the slots of hosts");
  }

  void check_min_nodes() {
    const auto least = spec_.fault_tolerance.min_nodes;
    if (!least) return;
    const std::string path = "fault_tolerance.min_nodes";
    const int nodes = spec_.resources.nodes;
    if (*least > nodes) {
      return report(
          path,
          "min_nodes is " + std::to_string(*least) + ", but resources.nodes is " + std::to_string(nodes),
          "set a number up to " + std::to_string(nodes));
    }
    if (*least < nodes && ssh_.stage == Stage::push) {
      return report(path, "with ssh.stage: push, records and checkpoints are on the first host only",
                    "use a folder that all hosts share, or remove min_nodes");
    }
    if (*least == nodes || !spec_.train) return;
    const auto batches = batches_of_a_step(*spec_.train, nodes * spec_.resources.tasks_per_node);
    const auto& global = spec_.train->data.global_batch_size;
    if (!global) {
      return report(
          path, "with fewer hosts a step would have fewer samples: train.data.batch_size is per rank",
          "set train.data.global_batch_size: " + std::to_string(spec_.train->data.batch_size * batches) +
              " instead");
    }
    if (!spec_.fewer_nodes().empty()) return;
    report(path,
           "global_batch_size " + std::to_string(*global) +
               " is a multiple of the number of ranks with all " + std::to_string(nodes) + " hosts only",
           "set a lower min_nodes, or another train.data.global_batch_size");
  }

  void check_push_folder() {
    const auto& folder = ssh_.push_folder;
    if (folder && !folder->starts_with('/') && !folder->starts_with("~/"))
      report("ssh.push_folder", "'" + *folder + "' is not an absolute path",
             "write a folder on the hosts, such as /scratch/you/ddpsubmit or ~/ddpsubmit");
    if (folder && folder->find('$') != std::string::npos)
      report("ssh.push_folder", "variables in '" + *folder + "' are not replaced",
             "write the folder as it is called on the hosts; ~/ at its beginning is your home there");
  }

  void check_push() {
    for (std::size_t index = 0; index < ssh_.push.size(); ++index) {
      const std::string& path = ssh_.push[index];
      if (path_below(path)) continue;
      report("ssh." + item_path("push", index), "'" + path + "' is not a path below the current folder",
             "name a file or folder relative to the current folder, such as train.py");
    }
  }

  static std::string path_of(std::size_t index) { return "ssh." + item_path("hosts", index); }

  void report(const std::string& path, std::string message, std::string hint) {
    auto origin = spec_.origins.by_path.find(path);
    // A line of a host file has one place for all that it says.
    if (origin == spec_.origins.by_path.end())
      origin = spec_.origins.by_path.find(path.substr(0, path.rfind('.')));
    const Place place = origin != spec_.origins.by_path.end() ? origin->second : nearest_place(root_, path);
    errors_.push_back(config_error(place, std::move(message), std::move(hint)));
  }

  const RunSpec& spec_;
  const SshOptions& ssh_;
  const ConfigNode& root_;
  Errors& errors_;
};

}  // namespace

void check_ssh(const RunSpec& spec, const ConfigNode& root, Errors& errors) {
  SshChecks(spec, root, errors).run();
}

}  // namespace ddp::cli
