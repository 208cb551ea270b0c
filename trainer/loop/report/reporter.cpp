#include "trainer/loop/report/reporter.hpp"

#include <chrono>
#include <cstdio>
#include <utility>

#include "ddp/jobenv/progress_line.hpp"
#include "ddp/jobenv/terminal.hpp"
#include "trainer/loop/report/process_memory.hpp"

namespace ddp::trainer {
namespace {

constexpr std::chrono::milliseconds kBarPeriod{100};

double milliseconds(double seconds) {
  return seconds * 1e3;
}

MetricsRecord record_of(std::string_view kind, int attempt, const ReportPlace& place) {
  return {.kind = std::string(kind),
          .attempt = attempt,
          .step = place.step,
          .epoch = place.epoch,
          .time = std::chrono::system_clock::now()};
}

MetricsRecord record_of(std::string_view kind, int attempt, const ReportPlace& place, const Totals& totals) {
  auto record = record_of(kind, attempt, place);
  record.loss = totals.mean_loss();
  record.accuracy = totals.accuracy();
  record.samples = totals.samples;
  return record;
}

void add_trained_time(MetricsRecord& record, const ReportPlace& place) {
  record.trained_ms = milliseconds(place.trained.count());
}

double samples_per_second(const TrainReport& report) {
  return static_cast<double>(report.totals.samples) / report.times.total;
}

void add_times(MetricsRecord& record, const StepTimeSummary& times) {
  record.step_ms_p50 = milliseconds(times.p50);
  record.step_ms_p90 = milliseconds(times.p90);
  record.step_ms_p99 = milliseconds(times.p99);
  record.step_ms_max = milliseconds(times.max);
  record.data_wait_ms = milliseconds(times.data_wait / static_cast<double>(times.steps));
}

void add_parts(MetricsRecord& record, const StepParts& parts) {
  record.forward_ms = milliseconds(parts.forward);
  record.backward_ms = milliseconds(parts.backward);
  record.update_ms = milliseconds(parts.update);
}

void add_slowest(MetricsRecord& record, const SlowestRank& slowest) {
  record.slowest_rank = slowest.rank;
  record.slowest_rank_ms = milliseconds(slowest.time.total);
  record.slowest_rank_data_wait_ms = milliseconds(slowest.time.data_wait);
  record.median_rank_ms = milliseconds(slowest.median);
}

void add_ranks(MetricsRecord& record, const std::vector<TimedRank>& ranks) {
  for (const TimedRank& each : ranks) record.rank_ms.push_back({each.rank, milliseconds(each.seconds)});
}

void add_memory(MetricsRecord& record) {
  const ProcessMemory memory = read_process_memory();
  record.memory_bytes = static_cast<std::int64_t>(memory.resident);
  record.peak_memory_bytes = static_cast<std::int64_t>(memory.peak_resident);
}

void add_device(MetricsRecord& record, const DeviceUse& device) {
  record.gpu_utilization = device.utilization;
  record.gpu_memory_bytes = device.memory;
  record.peak_gpu_memory_bytes = device.peak_memory;
}

}  // namespace

Reporter::Reporter(std::vector<std::unique_ptr<MetricsSink>> sinks, int attempt)
    : silent_(false), attempt_(attempt), sinks_(std::move(sinks)) {}

Reporter::Reporter(Reporter&& other) noexcept {
  *this = std::move(other);
}

Reporter& Reporter::operator=(Reporter&& other) noexcept {
  std::swap(silent_, other.silent_);
  std::swap(attempt_, other.attempt_);
  std::swap(sinks_, other.sinks_);
  std::swap(bar_, other.bar_);
  std::swap(bar_step_, other.bar_step_);
  std::swap(bar_drawn_, other.bar_drawn_);
  return *this;
}

Reporter::~Reporter() {
  if (bar_) std::printf("\n");
}

void Reporter::note(const std::string& text) {
  if (!silent_) print(text);
}

void Reporter::begin(const ReportPlace& place) {
  if (silent_ || !terminal_columns(STDOUT_FILENO) || !allows_escapes(EnvMap::capture())) return;
  bar_.emplace(place.step, place.total_steps, ProgressBar::Clock::now());
  bar_step_ = place.step;
}

void Reporter::stepped(const ReportPlace& place) {
  if (!bar_) return;
  bar_step_ = place.step;
  const auto now = ProgressBar::Clock::now();
  if (now - bar_drawn_ >= kBarPeriod || place.step == place.total_steps) draw_bar(now);
}

void Reporter::first_step(const ReportPlace& place) {
  if (silent_) return;
  auto record = record_of(metrics_kind::kFirstStep, attempt_, place);
  add_trained_time(record, place);
  write(record);
}

void Reporter::trained(const ReportPlace& place, const TrainReport& report) {
  if (silent_) return;
  const Totals& totals = report.totals;
  char line[256];
  std::snprintf(line, sizeof(line), "step %lld/%lld  epoch %lld  loss %.4f  accuracy %.4f  %s samples/s",
                static_cast<long long>(place.step), static_cast<long long>(place.total_steps),
                static_cast<long long>(place.epoch), totals.mean_loss(), totals.accuracy(),
                with_thousands(static_cast<std::int64_t>(samples_per_second(report))).c_str());
  print(line);
  auto record = record_of(metrics_kind::kTrain, attempt_, place, totals);
  record.total_steps = place.total_steps;
  record.learning_rate = report.learning_rate;
  record.gradient_norm = report.gradient_norm;
  record.samples_per_second = samples_per_second(report);
  add_times(record, report.times);
  if (report.parts) add_parts(record, *report.parts);
  if (report.exposed_communication) {
    record.exposed_communication_ms =
        std::chrono::duration<double, std::milli>(*report.exposed_communication).count();
  }
  if (report.slowest) add_slowest(record, *report.slowest);
  add_ranks(record, report.ranks);
  add_trained_time(record, place);
  add_memory(record);
  if (report.device) add_device(record, *report.device);
  write(record);
}

void Reporter::evaluated(const ReportPlace& place, const Totals& totals,
                         std::chrono::duration<double> taken) {
  if (silent_) return;
  char line[128];
  std::snprintf(line, sizeof(line), "epoch %lld  test loss %.4f  test accuracy %.4f",
                static_cast<long long>(place.epoch), totals.mean_loss(), totals.accuracy());
  print(line);
  auto record = record_of(metrics_kind::kEvaluate, attempt_, place, totals);
  record.samples_per_second = static_cast<double>(totals.samples) / taken.count();
  write(record);
}

// The bar stays the last line: what is printed takes its place, and it is drawn anew below.
void Reporter::print(const std::string& line) {
  std::printf("%s%s\n", bar_ ? kEraseLine : "", line.c_str());
  if (bar_) draw_bar(ProgressBar::Clock::now());
  std::fflush(stdout);
}

void Reporter::draw_bar(ProgressBar::Clock::time_point now) {
  const std::size_t columns = terminal_columns(STDOUT_FILENO).value_or(kUsualColumns);
  std::printf("%s%s", kEraseLine, bar_->render(bar_step_, now, columns - 1).c_str());
  std::fflush(stdout);
  bar_drawn_ = now;
}

void Reporter::checkpointed(const ReportPlace& place, const CheckpointCost& cost) {
  if (silent_) return;
  auto record = record_of(metrics_kind::kCheckpoint, attempt_, place);
  add_trained_time(record, place);
  record.bytes = static_cast<std::int64_t>(cost.bytes);
  record.stall_ms = cost.stall_milliseconds;
  record.write_ms = cost.write_milliseconds;
  record.slowdown = cost.slowdown;
  write(record);
}

void Reporter::checkpoint_failed(const ReportPlace& place, const std::string& fate,
                                 const std::string& reason) {
  if (silent_) return;
  note("WARNING: the checkpoint of step " + std::to_string(place.step) + " " + fate + reason +
       "\nWARNING: earlier checkpoints are not affected");
  auto record = record_of(metrics_kind::kCheckpointFailed, attempt_, place);
  record.message = reason;
  write(record);
}

void Reporter::write(const MetricsRecord& record) {
  for (const auto& sink : sinks_) {
    if (const auto warning = sink->write(record); !warning.empty()) note("WARNING: " + warning);
  }
}

}  // namespace ddp::trainer
