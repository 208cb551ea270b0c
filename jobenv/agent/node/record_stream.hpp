#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "jobenv/agent/process/event_loop.hpp"
#include "jobenv/record/files/file_piece.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::agent {

/// The logs of a host whose run folder head does not see, on their way to head's: piece by piece as they
/// grow, one under way at a time and of each file in its turn, so that what a rank prints keeps nothing else
/// waiting. Single-threaded.
class RecordStream {
 public:
  using Send = std::function<void(FilePiece piece)>;

  /// `loop` must outlive this. `send` is called from within the loop's handlers, and restart().
  RecordStream(EventLoop& loop, RunFolder folder, Send send);
  RecordStream(const RecordStream&) = delete;
  RecordStream& operator=(const RecordStream&) = delete;
  ~RecordStream() { loop_.cancel(next_look_); }

  /// On a connection that has just been made: what was under way on another one is sent again.
  void restart();
  /// The piece under way has arrived.
  void on_taken();
  /// Calls `done` when nothing is left, or after so long at the latest.
  void finish(std::chrono::milliseconds patience, std::function<void()> done);

 private:
  void look();
  [[nodiscard]] std::uint64_t sent(const std::string& path) const;
  /// Those that have grown, sorted.
  [[nodiscard]] std::vector<std::string> find_grown() const;
  [[nodiscard]] std::optional<FilePiece> find_piece() const;

  EventLoop& loop_;
  RunFolder folder_;
  Send send_;
  std::map<std::string, std::uint64_t> sent_;  ///< bytes, by path below the run folder
  std::optional<FilePiece> under_way_;
  std::string last_path_;  ///< of the last piece: the next one is of a file behind it
  std::function<void()> finished_;
  EventLoop::TimerId next_look_ = 0;
};

}  // namespace ddp::agent
