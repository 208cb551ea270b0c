#include "trainer/loop/report/jsonl_sink.hpp"
#include "trainer/loop/report/metrics_sink.hpp"

namespace ddp::trainer {
namespace {

using OpenSink = std::unique_ptr<MetricsSink> (*)(const std::filesystem::path& run_dir);

constexpr OpenSink kSinks[] = {open_jsonl_sink};

}  // namespace

std::vector<std::unique_ptr<MetricsSink>> open_metrics_sinks(const std::filesystem::path& run_dir) {
  std::vector<std::unique_ptr<MetricsSink>> sinks;
  for (const OpenSink open : kSinks) sinks.push_back(open(run_dir));
  return sinks;
}

}  // namespace ddp::trainer
