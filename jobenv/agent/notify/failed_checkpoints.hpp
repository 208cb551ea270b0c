#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "jobenv/record/metrics/metrics_record.hpp"

namespace ddp::agent {

/// Follows metrics.jsonl and finds checkpoints that could not be written. Of several in a row only the first
/// counts.
class FailedCheckpoints {
 public:
  /// Begins at the end of the file as it is now.
  explicit FailedCheckpoints(std::filesystem::path run_dir);

  /// The next one since the last look; nullopt: none.
  [[nodiscard]] std::optional<MetricsRecord> look();

 private:
  /// false: there is nothing more.
  [[nodiscard]] bool read_more();
  [[nodiscard]] std::optional<MetricsRecord> take_lines();
  [[nodiscard]] std::optional<MetricsRecord> take_line(std::string_view line);

  std::filesystem::path run_dir_;
  std::uint64_t offset_ = 0;
  std::string unread_;    ///< may end within a line
  bool failing_ = false;  ///< the newest checkpoint could not be written
};

}  // namespace ddp::agent
