#pragma once

#include <string_view>

#include "cli/launchers/ssh/keys/ssh_options.hpp"

namespace ddp::cli {

/// "ann@node1:2222" and "[fd00::1]:2222": the name becomes `host.host`, the rest `user` and `port`, unless
/// these are given by keys of their own. "node1:4" stays as it is, as it may mean 4 slots. Pure.
void take_user_and_port_apart(SshHost& host);

/// Whether a word can be the name or the address of a host: nothing in it means more than a name to ssh or to
/// a shell.
[[nodiscard]] bool is_host_name(std::string_view text);
/// The same for a login name: what OpenSSH takes, such as "ann@corp.example".
[[nodiscard]] bool is_user_name(std::string_view text);
/// "node1:4" and "node1:222", which take_user_and_port_apart leaves.
[[nodiscard]] bool may_mean_slots(std::string_view text);

}  // namespace ddp::cli
