#pragma once

#include <filesystem>
#include <map>
#include <optional>

#include "jobenv/agent/node/log_turns.hpp"
#include "jobenv/agent/process/event_loop.hpp"
#include "jobenv/record/files/file_descriptor.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::agent {

/// Notes beside the logs of an agent's ranks in which order they grew (RunFolder::log_order). Looks at most
/// every 50 ms, and only while they grow: inotify wakes it, on NFS, too, since the ranks write on this host.
/// Where there is no inotify it looks every 50 ms. Sizes are those that this host knows, so that no look
/// waits for a server. Single-threaded.
class LogWatch {
 public:
  /// `loop` must outlive this.
  explicit LogWatch(EventLoop& loop) : loop_(loop) {}
  LogWatch(const LogWatch&) = delete;
  LogWatch& operator=(const LogWatch&) = delete;
  ~LogWatch() { forget_all(); }

  /// A rank whose logs cannot be opened is not watched.
  void watch(const RunFolder& folder, int attempt, int rank);
  /// After a last look. For a rank that has ended.
  void forget(int rank);
  void forget_all();
  /// Bytes, at the last look; 0: it is not watched.
  [[nodiscard]] std::uint64_t printed(int rank) const;

 private:
  struct Rank {
    FileDescriptor out;
    FileDescriptor err;
    std::filesystem::path path;  ///< of the notes
    FileDescriptor notes = {};
    LogSizes sizes = {};
    LogTurns turns = {};
  };
  enum class Logs { same, changed };

  void begin();
  void look();
  [[nodiscard]] static Logs look_at(Rank& rank);
  static void note(Rank& rank, const LogSizes& sizes);
  [[nodiscard]] bool ask_for_changes(const Rank& rank) const;

  EventLoop& loop_;
  std::map<int, Rank> ranks_;
  FileDescriptor changes_;                     ///< of inotify; not open: there is none
  std::optional<EventLoop::WatchId> waiting_;  ///< for changes_
  std::optional<EventLoop::TimerId> next_look_;
};

}  // namespace ddp::agent
