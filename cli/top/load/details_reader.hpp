#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "cli/top/load/curve_reader.hpp"
#include "cli/top/load/file_stamp.hpp"
#include "cli/top/load/ledger_stamp.hpp"
#include "cli/top/model/top_data.hpp"

namespace ddp::cli {

/// Reads what only the screen of one run shows: its ranks, its report, its curves, and the log of a rank.
/// Reads again only what has changed.
class DetailsReader {
 public:
  explicit DetailsReader(const KnownRun& run);

  [[nodiscard]] const std::string& run_id() const { return details_.run_id; }
  /// `run` is what the list shows of the same run.
  [[nodiscard]] const RunDetails& look(const KnownRun& run, int rank,
                                       std::chrono::system_clock::time_point now);

 private:
  struct LogPlace {
    int attempt = -1;
    int rank = -1;
    FileStamp out;
    FileStamp err;
    bool operator==(const LogPlace&) const = default;
  };

  void look_at_ledger(const KnownRun& run, std::chrono::system_clock::time_point now);
  void look_at_log(int attempt, int rank);

  RunFolder folder_;
  LedgerStamp ledger_;
  CurveReader curve_;
  FileStamp metrics_;
  LogPlace log_;
  std::vector<AttemptStatus> attempts_;
  std::optional<RunReport> report_;
  std::optional<LaunchPlan> plan_;
  RunState state_ = RunState::unknown;
  std::size_t known_attempts_ = 0;
  RunDetails details_;
};

}  // namespace ddp::cli
