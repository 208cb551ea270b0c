#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/launchers/ssh/connection/ssh_target.hpp"
#include "cli/system/command_runner.hpp"

namespace ddp::cli {

/// How the program ssh would reach a host. `ssh -G` tells it, so that Include, Match, tokens and defaults
/// mean what they mean to the person's own ssh.
struct SshSettings {
  std::string name;      ///< the host as the run calls it
  std::string by_hand;   ///< the command by which a person reaches it: "ssh -p 2222 node1"
  std::string hostname;  ///< a name or an address
  int port = 22;
  std::string user;
  int address_family = 0;                   ///< AF_UNSPEC, AF_INET or AF_INET6
  std::string proxy;                        ///< the command that connects to the host; empty: none
  std::string key_alias;                    ///< the name of the host in known_hosts; empty: `hostname`
  std::vector<std::string> known_hosts;     ///< files, those of the user first
  bool accepts_new_keys = false;            ///< of hosts that are seen for the first time
  std::vector<std::string> identity_files;  ///< in the order in which they are tried
  bool names_identities = false;  ///< ~/.ssh/config or the run names them; else they are ssh's defaults
  bool identities_only = false;   ///< no other key of the ssh agent is tried
  std::string agent_socket;       ///< empty: no ssh agent
  std::string ciphers, key_exchanges, macs, host_key_types, user_key_types;  ///< comma-separated; empty: any
};

/// Reads what `ssh -G` prints. `home` is what ~ means; `environment` has SSH_AUTH_SOCK. Pure.
[[nodiscard]] SshSettings parse_ssh_settings(std::string_view printed, const std::string& home,
                                             const EnvMap& environment);

/// What ssh and libssh, which expand tokens such as %h, read as `text` itself.
[[nodiscard]] std::string double_percent(std::string text);

/// Asks the program ssh. The error has the words of an ssh that refuses its configuration. Thread-safe.
[[nodiscard]] Expected<SshSettings> find_ssh_settings(const SshTarget& target, CommandRunner& runner,
                                                      const EnvMap& environment);

}  // namespace ddp::cli
