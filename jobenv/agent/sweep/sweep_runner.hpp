#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ddp/jobenv/env_map.hpp"
#include "jobenv/agent/process/event_loop.hpp"
#include "jobenv/record/files/file_descriptor.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::agent {

struct SweepOptions {
  std::filesystem::path run_dir;   ///< of the sweep; absolute
  std::vector<int> points;         ///< in the order in which they run
  std::string token;               ///< of their submission
  std::optional<int> attached_fd;  ///< its end means that the submitter is gone
};

/// The points of a sweep on this machine: starts a head for one after another, whatever became of the one
/// before. INT, TERM and the end of the submitter stop the head that runs; the points behind it are skipped,
/// and the ledger of the sweep says so. When this process dies, the head that runs stops, too.
class SweepRunner {
 public:
  using Log = std::function<void(const std::string& line)>;
  SweepRunner(SweepOptions options, EnvMap environment, Log log);

  /// The exit code of the process: 0 when all points succeeded, 1, or 130 and 143 after a signal.
  [[nodiscard]] int run();

 private:
  void start_next();
  [[nodiscard]] bool is_cancelled() const;
  [[nodiscard]] bool is_mine(const RunFolder& point) const;
  [[nodiscard]] Expected<pid_t> start_head(const RunFolder& point);
  void on_head_exit(int status);
  void hand_on_last_words();
  void on_signal(int signal);
  void on_submitter();
  void stop(int exit_code);
  void record_stop();

  SweepOptions options_;
  RunFolder folder_;
  EnvMap environment_;
  Log log_;
  std::unique_ptr<EventLoop> loop_;
  EventLoop::WatchId submitter_watch_ = 0;
  std::size_t next_ = 0;
  pid_t head_ = -1;
  FileDescriptor attachment_;  ///< the head that runs stops when this is closed
  int exit_code_ = 0;
  bool stopping_ = false;
};

}  // namespace ddp::agent
