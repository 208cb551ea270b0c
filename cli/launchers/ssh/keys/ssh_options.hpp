#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/launchers/launcher_options.hpp"

namespace ddp::cli {

struct RunSpec;

/// A machine that ranks can be started on over ssh.
struct SshHost {
  std::string host;  ///< as ~/.ssh/config or the resolver knows it; its name in all messages
  std::optional<std::int64_t> slots = {};   ///< the most ranks that it takes; nullopt: any number
  std::optional<std::string> address = {};  ///< to connect to in place of `host`
  std::optional<std::string> user = {};
  std::optional<std::int64_t> port = {};

  bool operator==(const SshHost&) const = default;
};

/// How the hosts get the programs and the run folder: from a file system that all of them share, or by a
/// copy.
enum class Stage { shared, push };

struct SshOptions final : LauncherOptionsOf<SshOptions> {
  static constexpr std::string_view kLauncher = "ssh";

  std::vector<SshHost> hosts;
  std::optional<std::string> host_file;  ///< absolute; its hosts follow those of `hosts`
  std::optional<std::string> user, identity_file;
  std::optional<std::int64_t> port = {};
  Stage stage = Stage::shared;
  std::vector<std::string> push;           ///< files and folders, by their paths below the current folder
  std::optional<std::string> push_folder;  ///< absolute, on the hosts; absent: ~/.ddpsubmit
  bool fetch_checkpoints = false;
  std::chrono::seconds connect_timeout{10};

  void describe(Fields& fields) override;
  bool operator==(const SshOptions&) const = default;
};

/// The first `resources.nodes` of the hosts that have slots for the ranks of a node; fewer when there are no
/// more.
[[nodiscard]] std::vector<SshHost> hosts_of_run(const RunSpec& spec);

}  // namespace ddp::cli
