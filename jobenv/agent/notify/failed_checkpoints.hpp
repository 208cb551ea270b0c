#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "jobenv/record/metrics/metrics_record.hpp"

namespace ddp::agent {

/// Reads in metrics.jsonl, as it grows, that checkpoints could not be written. Of several in a row only the
/// first counts.
class FailedCheckpoints {
 public:
  /// What the file holds by now is passed over.
  explicit FailedCheckpoints(std::filesystem::path run_dir);

  /// The next one in what was written since the last look; nullopt: none.
  [[nodiscard]] std::optional<MetricsRecord> look();

 private:
  void read_more();
  [[nodiscard]] std::optional<MetricsRecord> take_line(std::string_view line);

  std::filesystem::path run_dir_;
  std::uint64_t offset_ = 0;
  std::string unread_;    ///< up to what may be the middle of a line
  bool failing_ = false;  ///< the newest checkpoint could not be written
};

}  // namespace ddp::agent
