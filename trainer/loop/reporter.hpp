#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "trainer/loop/totals.hpp"

namespace ddp::trainer {

/// Where a run is. Steps and epochs count from 1 here.
struct ReportPlace {
  std::int64_t step = 0;
  std::int64_t total_steps = 0;
  std::int64_t epoch = 0;
};

/// Tells of the training: lines on stdout for people, metrics.jsonl for programs. The only thing in the
/// trainer that prints.
class Reporter {
 public:
  /// A reporter that says nothing, for all ranks but 0.
  Reporter() = default;

  /// Prints, and appends to `metrics` when it is given. `attempt` is part of every record.
  /// Throws std::system_error when `metrics` cannot be opened.
  Reporter(const std::optional<std::filesystem::path>& metrics, int attempt);

  Reporter(Reporter&& other) noexcept;
  Reporter& operator=(Reporter&& other) noexcept;
  ~Reporter();

  void note(const std::string& text);
  void trained(const ReportPlace& place, const Totals& totals, double samples_per_second,
               double learning_rate);
  void evaluated(const ReportPlace& place, const Totals& totals);

 private:
  void append(const std::string& record);

  bool silent_ = true;
  int attempt_ = 0;
  int metrics_ = -1;  // a descriptor
};

}  // namespace ddp::trainer
