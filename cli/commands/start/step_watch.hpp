#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "cli/store/metrics/training_watch.hpp"

namespace ddp::cli {

/// Follows how far a run is while it goes on, from metrics.jsonl and live.json, whichever knows more.
class StepWatch {
 public:
  StepWatch(RunFolder folder, int attempt)
      : folder_(std::move(folder)), attempt_(attempt), training_(folder_, attempt) {}

  /// The newest step of the attempt. nullopt: none has been told.
  [[nodiscard]] std::optional<std::int64_t> look();

 private:
  void look_at_live_ranks();

  RunFolder folder_;
  int attempt_;
  TrainingWatch training_;
  std::filesystem::file_time_type seen_{};  // of the live.json that live_step_ is from
  std::optional<std::int64_t> live_step_;
};

}  // namespace ddp::cli
