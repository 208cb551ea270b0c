#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jobenv/record/files/file_descriptor.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::cli {

enum class LogStream { out, err };
[[nodiscard]] std::string_view to_string(LogStream stream);

/// One line that a rank has printed, without its end.
struct LogLine {
  int attempt = 0;
  int rank = 0;
  LogStream stream = LogStream::out;
  std::string text;

  bool operator==(const LogLine&) const = default;
};

/// Reads what ranks print while they print it. Files may come into being, and a new attempt may begin, at any
/// time.
class LogReader {
 public:
  enum class Attempts { only, onward };
  struct Selection {
    int attempt = 0;
    Attempts attempts = Attempts::onward;  ///< `only` this one, or this one and those that follow it
    std::vector<int> ranks;                ///< sorted
    std::vector<LogStream> streams;
    std::optional<std::uint64_t> last_lines =
        {};  ///< of each stream of `attempt`, of what it holds now; or all
  };

  LogReader(RunFolder folder, Selection selection);

  /// Whole lines that have come since the last call, in order within a stream; not necessarily all. None:
  /// there are no more now.
  [[nodiscard]] std::vector<LogLine> take_lines();
  /// The last lines of streams that do not end in a newline. For when nothing is written any more.
  [[nodiscard]] std::vector<LogLine> take_unfinished();

 private:
  struct Source {
    int rank = 0;
    LogStream stream = LogStream::out;
    FileDescriptor file = {};
    std::string unfinished = {};
  };

  void begin_attempt(int attempt);
  void open_source(Source& source) const;
  [[nodiscard]] std::optional<int> next_attempt() const;
  void read_source(Source& source, std::vector<LogLine>& lines);
  void read_all(std::vector<LogLine>& lines);

  RunFolder folder_;
  Selection selection_;
  std::vector<Source> sources_;
};

}  // namespace ddp::cli
