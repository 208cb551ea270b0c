#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ddp {

/// What a record of a training can be about; a later version may have further kinds.
namespace metrics_kind {
inline constexpr std::string_view kFirstStep = "first_step";
inline constexpr std::string_view kSteps = "steps";  ///< how far a command is, and nothing more
inline constexpr std::string_view kTrain = "train";
inline constexpr std::string_view kEvaluate = "evaluate";
inline constexpr std::string_view kCheckpoint = "checkpoint";
inline constexpr std::string_view kCheckpointFailed = "checkpoint_failed";
}  // namespace metrics_kind

struct NamedNumber {
  std::string name;
  double value = 0;
};

/// How long a rank needs for a step, in milliseconds, without waiting for others.
struct RankStepTime {
  int rank = 0;
  double ms = 0;
  bool operator==(const RankStepTime&) const = default;
};

/// A line of metrics.jsonl. docs/trainer.md has the meaning of each number; which of them a record has
/// depends on its kind.
struct MetricsRecord {
  std::string kind;  ///< see metrics_kind; empty: the line has none
  int attempt = 0;
  std::int64_t step = 0;  ///< steps done
  std::optional<std::int64_t> epoch = {};
  std::optional<std::chrono::system_clock::time_point> time = {};

  std::optional<double> loss = {}, accuracy = {};
  std::optional<std::int64_t> samples = {}, total_steps = {};
  std::optional<double> learning_rate = {}, gradient_norm = {}, samples_per_second = {};
  std::optional<double> step_ms_p50 = {}, step_ms_p90 = {}, step_ms_p99 = {}, step_ms_max = {};
  std::optional<double> data_wait_ms = {}, forward_ms = {}, backward_ms = {}, update_ms = {};
  std::optional<double> exposed_communication_ms = {};
  std::optional<std::int64_t> slowest_rank = {};
  std::optional<double> slowest_rank_ms = {}, slowest_rank_data_wait_ms = {}, median_rank_ms = {};
  std::optional<double> trained_ms = {};
  std::optional<std::int64_t> memory_bytes = {}, peak_memory_bytes = {};
  std::optional<double> gpu_utilization = {};
  std::optional<std::int64_t> gpu_memory_bytes = {}, peak_gpu_memory_bytes = {};
  std::optional<std::int64_t> bytes = {};
  std::optional<double> stall_ms = {}, write_ms = {}, slowdown = {};
  std::vector<RankStepTime> rank_ms = {};  ///< of all ranks, sorted by rank; of many ranks the slowest first
  std::string message = {};                ///< empty: none
  std::vector<NamedNumber> others = {};  ///< that a program has logged under names of its own, sorted by name
  std::vector<std::string> not_finite =
      {};  ///< names of numbers that a line has as null, sorted; never written
};

/// A number that records can have: the description that writing, reading and series share.
struct MetricsField {
  using Member =
      std::variant<std::optional<double> MetricsRecord::*, std::optional<std::int64_t> MetricsRecord::*>;
  std::string_view name;
  Member member;

  /// Its value in a record.
  [[nodiscard]] std::optional<double> of(const MetricsRecord& record) const;
};

/// All of them, in the order in which they stand in a line.
[[nodiscard]] std::span<const MetricsField> metrics_fields();

/// The numbers that a record has: those of metrics_fields(), in their order, and the others.
[[nodiscard]] std::vector<NamedNumber> numbers_of(const MetricsRecord& record);

/// A line of metrics.jsonl, without its end. Bytes of a message that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string render_metrics_record(const MetricsRecord& record);

/// nullopt: the line holds no record with an attempt and a step. What else is absent, or of another type, has
/// no value.
[[nodiscard]] std::optional<MetricsRecord> parse_metrics_record(std::string_view line);

/// The kind of a line as it stands at its beginning, without reading the rest; empty: it stands elsewhere.
[[nodiscard]] std::string_view kind_of_line(std::string_view line);

}  // namespace ddp
