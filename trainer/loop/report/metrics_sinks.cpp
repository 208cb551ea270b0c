#include "trainer/loop/report/jsonl_sink.hpp"
#include "trainer/loop/report/metrics_sink.hpp"
#include "trainer/loop/report/tensorboard_sink.hpp"

namespace ddp::trainer {
namespace {

/// nullptr: it is not wanted.
using OpenSink = std::unique_ptr<MetricsSink> (*)(const SinkPlace& place);

constexpr OpenSink kSinks[] = {
    [](const SinkPlace& place) { return open_jsonl_sink(place.run_dir); },
    open_tensorboard_sink,
};

}  // namespace

std::vector<std::unique_ptr<MetricsSink>> open_metrics_sinks(const SinkPlace& place) {
  std::vector<std::unique_ptr<MetricsSink>> sinks;
  for (const OpenSink open : kSinks) {
    if (auto sink = open(place)) sinks.push_back(std::move(sink));
  }
  return sinks;
}

}  // namespace ddp::trainer
