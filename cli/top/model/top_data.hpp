#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/store/report/known_run.hpp"

namespace ddp::cli {

/// A run of the first screen.
struct TopRun {
  KnownRun run;
  bool read = false;  ///< false: its folder has not been looked into yet
  bool gone = false;  ///< its folder is: it is not shown
};

/// What metrics.jsonl tells, oldest first.
struct TrainingCurve {
  std::vector<double> loss = {};
  std::vector<double> samples_per_second = {};
};

struct RankLine {
  std::string text;
  bool is_error = false;  ///< of stderr
};

/// What only the screen of a single run shows.
struct RunDetails {
  std::string run_id;
  KnownRun run;  ///< with the ranks of its attempts, and its report
  TrainingCurve curve = {};
  int log_rank = 0;
  std::vector<RankLine> log = {};  ///< its last lines
};

/// All that the screens show.
struct TopData {
  std::vector<TopRun> runs;             ///< newest first
  std::size_t unread = 0;               ///< of these
  std::optional<RunDetails> details;    ///< of the run whose screen is open, once they are read
  std::vector<std::string> complaints;  ///< who does not answer, one line each
};

/// By its id; of a point "SWEEP/K". nullptr: there is none.
[[nodiscard]] const KnownRun* find_run(const TopData& data, const std::string& run_id);

/// Whether its folder, or its pointer, has been removed.
[[nodiscard]] bool was_removed(const TopData& data, const std::string& run_id);

}  // namespace ddp::cli
