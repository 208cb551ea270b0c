#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/top/model/top_data.hpp"
#include "jobenv/record/files/file_descriptor.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::cli {

/// Reads loss and throughput of a training while it writes metrics.jsonl: of a long file the last records,
/// and then what is appended.
class CurveReader {
 public:
  explicit CurveReader(RunFolder folder) : folder_(std::move(folder)) {}

  /// What an earlier attempt told of steps that were done again is left out.
  [[nodiscard]] TrainingCurve look();

 private:
  struct Point {
    int attempt = 0;
    std::int64_t step = 0;
    double loss = 0;                ///< nan: not told
    double samples_per_second = 0;  ///< the same
  };

  void open_metrics();
  void take(std::string_view text);
  void take_line(std::string_view line);

  RunFolder folder_;
  FileDescriptor file_;
  std::string unfinished_;
  bool in_cut_line_ = false;
  std::vector<Point> points_;
};

}  // namespace ddp::cli
