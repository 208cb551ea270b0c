#include "trainer/loop/reporter.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "jobenv/record/ledger.hpp"

namespace ddp::trainer {
namespace {

std::string with_thousands(std::int64_t number) {
  std::string digits = std::to_string(number);
  for (auto place = std::ssize(digits) - 3; place > 0; place -= 3)
    digits.insert(static_cast<std::size_t>(place), ",");
  return digits;
}

nlohmann::ordered_json record_of(const char* kind, int attempt, const ReportPlace& place,
                                 const Totals& totals) {
  return {{"kind", kind},
          {"attempt", attempt},
          {"step", place.step},
          {"epoch", place.epoch},
          {"loss", totals.mean_loss()},
          {"accuracy", totals.accuracy()},
          {"samples", totals.samples},
          {"time", render_time(std::chrono::system_clock::now())}};
}

}  // namespace

Reporter::Reporter(const std::optional<std::filesystem::path>& metrics, int attempt)
    : silent_(false), attempt_(attempt) {
  if (!metrics) return;
  metrics_ = open(metrics->c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (metrics_ < 0)
    throw std::system_error(errno, std::generic_category(), "cannot write " + metrics->string());
}

Reporter::Reporter(Reporter&& other) noexcept
    : silent_(other.silent_), attempt_(other.attempt_), metrics_(std::exchange(other.metrics_, -1)) {}

Reporter& Reporter::operator=(Reporter&& other) noexcept {
  std::swap(silent_, other.silent_);
  std::swap(attempt_, other.attempt_);
  std::swap(metrics_, other.metrics_);
  return *this;
}

Reporter::~Reporter() {
  if (metrics_ >= 0) close(metrics_);
}

void Reporter::note(const std::string& text) {
  if (silent_) return;
  std::printf("%s\n", text.c_str());
  std::fflush(stdout);
}

void Reporter::trained(const ReportPlace& place, const Totals& totals, double samples_per_second,
                       double learning_rate) {
  if (silent_) return;
  std::printf("step %lld/%lld  epoch %lld  loss %.4f  accuracy %.4f  %s samples/s\n",
              static_cast<long long>(place.step), static_cast<long long>(place.total_steps),
              static_cast<long long>(place.epoch), totals.mean_loss(), totals.accuracy(),
              with_thousands(static_cast<std::int64_t>(samples_per_second)).c_str());
  std::fflush(stdout);
  auto record = record_of("train", attempt_, place, totals);
  record["learning_rate"] = learning_rate;
  record["samples_per_second"] = samples_per_second;
  append(record.dump());
}

void Reporter::evaluated(const ReportPlace& place, const Totals& totals) {
  if (silent_) return;
  std::printf("epoch %lld  test loss %.4f  test accuracy %.4f\n", static_cast<long long>(place.epoch),
              totals.mean_loss(), totals.accuracy());
  std::fflush(stdout);
  append(record_of("evaluate", attempt_, place, totals).dump());
}

// One write a record: a reader sees whole lines, and what another attempt appends does not mix with them.
void Reporter::append(const std::string& record) {
  if (metrics_ < 0) return;
  const std::string line = record + '\n';
  if (write(metrics_, line.data(), line.size()) != std::ssize(line)) {
    throw std::system_error(errno, std::generic_category(), "cannot append to metrics.jsonl");
  }
}

}  // namespace ddp::trainer
