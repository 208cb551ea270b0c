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
  int address_family = 0;                       ///< AF_UNSPEC, AF_INET or AF_INET6
  std::string bind_address;                     ///< of this machine; empty: any
  std::string proxy;                            ///< the command that connects to the host; empty: none
  std::string key_alias;                        ///< the name of the host in known_hosts; empty: `hostname`
  std::vector<std::string> known_hosts;         ///< files of the user; a new key goes into the first
  std::vector<std::string> shared_known_hosts;  ///< files of the machine
  std::string revoked_host_keys;                ///< a file; empty: none
  bool accepts_new_keys = false;                ///< of hosts that are seen for the first time
  std::vector<std::string> named_identities;    ///< files that the run or ~/.ssh/config names, in their order
  std::vector<std::string> default_identities;  ///< files that ssh tries where ~/.ssh/config names none
  bool identities_only = false;                 ///< no other key of the ssh agent is tried
  std::string agent_socket;                     ///< empty: no ssh agent
  std::string ciphers, key_exchanges, macs, host_key_types, user_key_types;  ///< comma-separated; empty: any
  std::string refusal;  ///< what it asks for that is not done here; empty: nothing
};

/// The person at this machine, as ssh knows them.
struct LocalPerson {
  std::string name, home;
};

/// Reads what `ssh -G` prints. `environment` has SSH_AUTH_SOCK. Pure but for looking whether a name with
/// blanks is one file.
[[nodiscard]] SshSettings parse_ssh_settings(std::string_view printed, const LocalPerson& person,
                                             const EnvMap& environment);

/// What ssh and libssh, which expand tokens such as %h, read as `text` itself.
[[nodiscard]] std::string double_percent(std::string text);

/// Asks the program ssh. The error has the words of an ssh that refuses its configuration. Thread-safe.
[[nodiscard]] Expected<SshSettings> find_ssh_settings(const SshTarget& target, CommandRunner& runner,
                                                      const EnvMap& environment);

}  // namespace ddp::cli
