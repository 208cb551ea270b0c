#include "jobenv/agent/head/live_view.hpp"

#include <algorithm>
#include <vector>

namespace ddp::agent {
namespace {

using Seconds = std::chrono::duration<double>;

template <class T>
std::optional<T> median_of(std::vector<T> values) {
  if (values.empty()) return std::nullopt;
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::ranges::nth_element(values, middle);
  return *middle;
}

std::string most_common(const std::map<std::string, std::uint64_t>& counts) {
  const auto found = std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
  return found == counts.end() ? std::string() : found->first;
}

}  // namespace

void LiveView::begin_attempt(int number) {
  attempt_ = number;
  ranks_.clear();
  origin_.reset();
  newest_ = {};
}

bool LiveView::take(const RunEvent& event, Time now) {
  if (const auto* joined = std::get_if<AgentJoined>(&event)) hosts_[joined->agent] = joined->hello.host;
  const auto* said = std::get_if<AgentSaid>(&event);
  return said != nullptr && take_said(*said, now);
}

bool LiveView::take_said(const AgentSaid& said, Time now) {
  if (const auto* exited = std::get_if<RankExited>(&said.message))
    return ranks_.erase(exited->record.rank) > 0;
  const auto* seen = std::get_if<RanksSeen>(&said.message);
  if (seen == nullptr) return false;
  for (const RankReading& reading : seen->ranks) take_reading(hosts_[said.agent], reading, now);
  return true;
}

void LiveView::take_reading(const std::string& host, const RankReading& reading, Time now) {
  Rank& rank = ranks_[reading.rank];
  if (rank.read != Time{} && now > rank.read) {
    const Seconds used = reading.cpu - rank.reading.cpu;
    rank.cpu_percent = std::max(0.0, 100 * used / Seconds(now - rank.read));
  }
  rank.host = host;
  rank.reading = reading;
  rank.read = now;
  if (!reading.step || (origin_ && *reading.step <= newest_.step)) return;
  newest_ = {*reading.step, now};
  if (!origin_) origin_ = newest_;
}

std::optional<double> LiveView::seconds_per_step() const {
  // Ranks that were seen at the same moment may differ by a step.
  if (!origin_ || newest_.step == origin_->step || newest_.time == origin_->time) return std::nullopt;
  return Seconds(newest_.time - origin_->time).count() / static_cast<double>(newest_.step - origin_->step);
}

LiveSummary LiveView::summarize() const {
  LiveSummary summary;
  std::vector<std::uint64_t> steps;
  double cpu_percent = 0;
  for (const auto& [number, rank] : ranks_) {
    ++summary.ranks;
    ++summary.phases[rank.reading.phase.text()];
    summary.memory_bytes += rank.reading.memory_bytes;
    cpu_percent += rank.cpu_percent.value_or(0);
    if (rank.reading.step) steps.push_back(*rank.reading.step);
  }
  if (summary.ranks > 0) summary.cpu_percent = cpu_percent / summary.ranks;
  if (steps.empty()) return summary;
  const auto [lowest, highest] = std::ranges::minmax(steps);
  summary.lowest_step = lowest;
  summary.highest_step = highest;
  summary.median_step = median_of(std::move(steps));
  return summary;
}

LiveRank LiveView::describe(const Rank& rank) {
  const RankReading& reading = rank.reading;
  return {.rank = reading.rank,
          .host = rank.host,
          .phase = reading.phase,
          .step = reading.step,
          .cpu_percent = rank.cpu_percent,
          .memory_bytes = reading.memory_bytes,
          .gpu_percent = reading.gpu_percent,
          .gpu_memory_bytes = reading.gpu_memory_bytes,
          .process = std::string(name_of(reading.process))};
}

bool LiveView::stands_out(const Rank& rank, const LiveSummary& summary, const std::string& common_phase) {
  const RankReading& reading = rank.reading;
  const auto step = reading.step.value_or(0);
  const auto median = summary.median_step.value_or(0);
  const bool apart = std::max(step, median) - std::min(step, median) > 1;
  return apart || reading.phase.text() != common_phase || is_stopped(reading.process) ||
         reading.process == ProcessState::in_kernel;
}

LiveRecord LiveView::make_record(Time now) const {
  LiveRecord record{.attempt = attempt_,
                    .time = now,
                    .total_steps = {},
                    .seconds_per_step = seconds_per_step(),
                    .job_end = job_end_,
                    .metrics = {},
                    .summary = summarize(),
                    .ranks = {}};
  const auto common_phase = most_common(record.summary.phases);
  const bool all = ranks_.size() <= kMostLiveRanks;
  for (const auto& [number, rank] : ranks_) {
    record.total_steps = std::max(record.total_steps, rank.reading.total_steps);
    if (number == 0) record.metrics = rank.reading.metrics;
    const bool shown = all || stands_out(rank, record.summary, common_phase);
    if (shown && record.ranks.size() < kMostLiveRanks) record.ranks.push_back(describe(rank));
  }
  return record;
}

}  // namespace ddp::agent
