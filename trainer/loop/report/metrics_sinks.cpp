#include <array>

#include "trainer/loop/report/jsonl_sink.hpp"
#include "trainer/loop/report/metrics_sink.hpp"

namespace ddp::trainer {
namespace {

struct SinkRow {
  std::string_view name;
  std::unique_ptr<MetricsSink> (*open)(const std::filesystem::path& run_dir);
};

constexpr std::array kSinks = {
    SinkRow{"metrics.jsonl", open_jsonl_sink},
};

}  // namespace

std::vector<std::unique_ptr<MetricsSink>> open_metrics_sinks(const std::filesystem::path& run_dir) {
  std::vector<std::unique_ptr<MetricsSink>> sinks;
  for (const auto& row : kSinks) sinks.push_back(row.open(run_dir));
  return sinks;
}

}  // namespace ddp::trainer
