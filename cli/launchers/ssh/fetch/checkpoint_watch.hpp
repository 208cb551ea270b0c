#pragma once

#include <chrono>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include "cli/launch/launcher.hpp"
#include "cli/launchers/ssh/connection/host_pool.hpp"

namespace ddp::cli {

/// Fetches each new checkpoint of a run that somebody follows (`ssh.fetch_checkpoints`), and what a command
/// writes into output/. One thread; files are copied on another one, over a connection of its own.
class CheckpointWatch {
 public:
  /// `head`: the host that has the checkpoints. The references outlive this, whose destructor waits for the
  /// end of a copy.
  CheckpointWatch(HostConnector& connector, RemotePlace head, RunFolder folder, Clock& clock);

  /// Begins to fetch what is new; does not block. What was fetched since the last call, or why it could not
  /// be, in lines.
  [[nodiscard]] std::vector<std::string> look();
  /// The same, but waits: the run has ended.
  [[nodiscard]] std::vector<std::string> complete();

 private:
  [[nodiscard]] bool has_news() const;
  [[nodiscard]] Expected<Fetched> fetch();
  [[nodiscard]] std::vector<std::string> tell(const Expected<Fetched>& fetched);

  HostConnector& connector_;
  RemotePlace head_;
  RunFolder folder_;
  Clock& clock_;
  std::chrono::steady_clock::time_point next_{};
  std::string told_;  ///< the last error
  bool is_complete_ = false;
  std::future<Expected<Fetched>> copy_;  ///< last: its end is waited for before the others go
};

}  // namespace ddp::cli
