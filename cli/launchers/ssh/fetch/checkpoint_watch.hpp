#pragma once

#include <chrono>
#include <filesystem>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include "cli/launch/launcher.hpp"
#include "cli/launchers/ssh/connection/host_pool.hpp"
#include "cli/launchers/ssh/push/copy_progress.hpp"

namespace ddp::cli {

/// Fetches each new checkpoint of a run that somebody follows (`ssh.fetch_checkpoints`), and what a command
/// writes into output/. One thread; files are copied on another one, over a connection of its own.
class CheckpointWatch {
 public:
  /// `head`: the host that has the checkpoints. The references outlive this, whose destructor stops a copy
  /// and waits for its end.
  CheckpointWatch(HostConnector& connector, RemotePlace head, RunFolder folder, Clock& clock);
  CheckpointWatch(const CheckpointWatch&) = delete;
  CheckpointWatch& operator=(const CheckpointWatch&) = delete;
  ~CheckpointWatch() { progress_.stop(); }

  /// Whether the run goes on, or its last files are still to be fetched.
  enum class Run { goes_on, has_ended };

  /// Begins to fetch what is new; does not block. Of a run that has ended the last call is that which tells
  /// that nothing goes on.
  [[nodiscard]] Tending look(Run run);

 private:
  [[nodiscard]] bool has_news() const;
  void begin();
  [[nodiscard]] Expected<Fetched> fetch();
  [[nodiscard]] std::vector<std::string> tell(const Expected<Fetched>& fetched);

  HostConnector& connector_;
  RemotePlace head_;
  RunFolder folder_;
  Clock& clock_;
  CopyProgress progress_;
  std::chrono::steady_clock::time_point next_{};
  std::string told_;                ///< the last error
  std::filesystem::path asked_;     ///< the newest checkpoint when the copy began
  std::filesystem::path given_up_;  ///< one that the host did not have as a whole
  bool is_complete_ = false;
  std::future<Expected<Fetched>> copy_;  ///< last: its end is waited for before the others go
};

}  // namespace ddp::cli
