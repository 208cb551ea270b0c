#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cli/store/rank_logs.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::cli {

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
        {};  ///< of each rank of `attempt`, of what it holds now; or all
  };

  LogReader(RunFolder folder, Selection selection);

  /// Whole lines that have come since the last call, of each rank in the order in which it printed them; not
  /// necessarily all. Those that came just now may be held back, until it is known in which order they did.
  [[nodiscard]] std::vector<LogLine> take_lines(RankLogs::Time now);
  /// Returns some of the remaining lines; call it until it returns none. An unfinished line is among them, as
  /// it is now. For a caller that does not wait for more output.
  [[nodiscard]] std::vector<LogLine> take_rest();
  /// The line of the first rank that is rewriting one, such as a progress bar, as it is now.
  [[nodiscard]] std::optional<LogLine> rewritten() const;

 private:
  void begin_attempt(int attempt);
  [[nodiscard]] std::optional<int> next_attempt() const;
  [[nodiscard]] std::vector<LogLine> take_rest_of_attempt();

  RunFolder folder_;
  Selection selection_;
  std::vector<RankLogs> ranks_;
};

}  // namespace ddp::cli
