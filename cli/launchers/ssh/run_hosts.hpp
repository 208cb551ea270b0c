#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/launch/launcher.hpp"
#include "cli/launchers/ssh/connection/host_pool.hpp"

namespace ddp::cli {

/// The hosts of the plan, and those of earlier attempts, each once.
[[nodiscard]] std::vector<std::string> name_all_hosts(const RunFolder& folder, const LaunchPlan& plan);

/// Fetches and removes what the hosts of an earlier run have, if they share no folder. One thread.
class RunHosts {
 public:
  /// `pool` outlives this.
  RunHosts(HostPool& pool, LauncherSeams seams) : pool_(pool), seams_(std::move(seams)) {}

  /// As Launcher::fetch.
  [[nodiscard]] Expected<std::optional<Fetched>> fetch(const RunStatus& run);
  /// Before the run goes on with `first` as its first host: brings here what another host has written that
  /// was the first one before. Says so if that does not answer.
  [[nodiscard]] Expected<void> fetch_for_other_host(const RunFolder& folder, const std::string& first);
  /// As Launcher::remove_copies.
  [[nodiscard]] RemovedCopies remove_copies(const RunFolder& folder);

 private:
  void say(const std::string& line) const {
    if (seams_.note) seams_.note(line);
  }

  HostPool& pool_;
  LauncherSeams seams_;
};

}  // namespace ddp::cli
