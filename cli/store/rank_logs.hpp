#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/store/line_buffer.hpp"
#include "cli/store/log_merge.hpp"
#include "cli/store/log_points.hpp"
#include "jobenv/record/files/file_descriptor.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::cli {

/// One line that a rank has printed, without its end.
struct LogLine {
  int attempt = 0;
  int rank = 0;
  LogStream stream = LogStream::out;
  std::string text;

  bool operator==(const LogLine&) const = default;
};

/// The logs of one rank in one attempt, read while it prints: whole lines, each where it began, in the order
/// in which the rank printed them, as far as its log_order tells. Files may come into being at any time.
class RankLogs {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// `streams`: one, or both.
  RankLogs(const RunFolder& folder, int attempt, int rank, const std::vector<LogStream>& streams);

  /// Passes over all but so many lines of what the logs hold now.
  void skip_to_last(std::uint64_t lines);
  /// Adds whole lines that have come, not necessarily all. When both logs have grown, it waits a little for
  /// the word in which order they did.
  void read(Time now, std::vector<LogLine>& lines);
  /// Adds lines, of those without an end what they are now; not necessarily all, but none only when there are
  /// no more. For when nobody waits for more.
  void read_rest(std::vector<LogLine>& lines);
  /// A line that is being rewritten, as it is now.
  [[nodiscard]] std::optional<LogLine> rewritten() const;

 private:
  struct Log {
    LogStream stream = LogStream::out;
    std::filesystem::path path;
    FileDescriptor file = {};
    std::uint64_t size = 0;
    std::uint64_t read = 0;
    LineBuffer text = {};
  };
  struct Growth {
    Time seen;
    LogSizes sizes;
  };
  enum class Unfinished { kept, taken };
  enum class Until { end, end_of_line };

  void refresh();
  void choose_limit(Time now);
  void read_to_limit(Unfinished unfinished, std::vector<LogLine>& lines);
  void read_log(Log& log, std::uint64_t end, Until until, std::vector<LogLine>& lines);
  void end_line(Log& log, Unfinished unfinished, std::vector<LogLine>& lines);
  void add(const Log& log, std::string text, std::vector<LogLine>& lines);
  [[nodiscard]] Log& log_of(LogStream stream);
  [[nodiscard]] LogSizes sizes() const;
  [[nodiscard]] LogSizes read_so_far() const;
  [[nodiscard]] bool is_at_limit() const;

  int attempt_;
  int rank_;
  std::vector<Log> logs_;  ///< that of stderr first
  LogPoints points_;
  std::uint64_t skipped_lines_ = 0;  ///< that are still to be skipped
  LogSizes limit_;                   ///< up to here the order is known
  std::optional<Growth> growth_;     ///< of both logs, of which the order is not known yet
  std::uint64_t budget_ = 0;
};

}  // namespace ddp::cli
