#include "jobenv/record/tensorboard/metrics_events.hpp"

#include "jobenv/record/tensorboard/events.hpp"

namespace ddp::tensorboard {

std::string tag_of(std::string_view kind, std::string_view metric) {
  return std::string(kind == metrics_kind::kEvaluate ? "test" : kind) + '/' + std::string(metric);
}

double seconds_of(std::chrono::system_clock::time_point time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

std::string render_metrics(const MetricsRecord& record) {
  std::vector<Scalar> scalars;
  for (const auto& [name, value] : numbers_of(record)) {
    if (name != "total_steps") scalars.push_back({tag_of(record.kind, name), value});
  }
  if (scalars.empty()) return {};
  return render_scalars(record.time ? seconds_of(*record.time) : 0, record.step, scalars);
}

}  // namespace ddp::tensorboard
