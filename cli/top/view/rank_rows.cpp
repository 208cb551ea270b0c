#include "cli/top/view/rank_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/output/run/attempt_text.hpp"
#include "cli/top/view/line_builder.hpp"
#include "jobenv/record/exit_record.hpp"

namespace ddp::cli {
namespace {

constexpr std::size_t kRankColumns = 5;
constexpr std::size_t kStep = 8;
constexpr std::size_t kBehind = 7;
constexpr std::size_t kPhase = 14;
constexpr std::size_t kCpu = 6;
constexpr std::size_t kMemory = 8;
constexpr std::size_t kGpu = 5;
constexpr std::size_t kRankMark = 2;
constexpr std::size_t kGap = 1;

std::size_t host_columns(const Frame& frame) {
  const auto used =
      kRankMark + kRankColumns + kStep + kBehind + kPhase + kCpu + kMemory + kGpu + kMemory + 8 * kGap;
  const auto left = frame.columns - std::min(frame.columns, used);
  return std::clamp<std::size_t>(left, 6, 32);
}

/// "1.2 GiB"
std::string render_size(std::uint64_t bytes) {
  const auto mib = static_cast<double>(bytes) / (1 << 20);
  return mib < 1000 ? fmt::format("{:.0f} MiB", mib) : fmt::format("{:.1f} GiB", mib / 1024);
}

const LiveRank* find_live(const KnownRun& run, int rank) {
  if (!run.live) return nullptr;
  const auto found = std::ranges::find(run.live->ranks, rank, &LiveRank::rank);
  return found == run.live->ranks.end() ? nullptr : &*found;
}

const RankStatus* find_recorded(const KnownRun& run, int rank) {
  if (run.status.attempts.empty()) return nullptr;
  const auto& ranks = run.status.attempts.back().ranks;
  const auto found = std::ranges::find(ranks, rank, &RankStatus::rank);
  return found == ranks.end() ? nullptr : &*found;
}

/// By ddpsubmit, as another rank had failed or somebody had asked for it.
bool is_stopped(const RankStatus* recorded) {
  return recorded != nullptr && recorded->ended && recorded->ended_by == name_of(EndedBy::agent);
}

/// The rank is of the newest attempt.
bool ended_first(const KnownRun& run, const RankStatus* recorded) {
  return recorded != nullptr && recorded->ended &&
         failed_first(run, run.status.attempts.back(), recorded->rank);
}

/// How it has ended, or what it does.
std::string render_doing(const KnownRun& run, const RankStatus* recorded, const LiveRank* live) {
  if (ended_first(run, recorded)) return "failed first";
  if (is_stopped(recorded)) return "stopped";
  if (recorded != nullptr && recorded->signal)
    return fmt::format("ended: {}", signal_name(*recorded->signal));
  if (recorded != nullptr && recorded->code) return fmt::format("ended: code {}", *recorded->code);
  if (recorded != nullptr && recorded->ended) return "ended";
  if (live == nullptr) return recorded == nullptr || recorded->phase.empty() ? "-" : recorded->phase;
  const bool odd = live->process == "stopped" || live->process == "in_kernel" || live->process == "traced";
  return live->phase.text() + (odd ? ", " + live->process : "");
}

bool ended_badly(const KnownRun& run, const RankStatus* recorded) {
  if (ended_first(run, recorded)) return true;
  return recorded != nullptr && !is_stopped(recorded) &&
         (recorded->signal || recorded->code.value_or(0) != 0);
}

/// Looks at ranks are seconds apart: less than ten seconds of steps tell nothing.
bool is_far_behind(const KnownRun& run, std::optional<std::uint64_t> step) {
  if (!run.live || !run.live->summary.median_step || !run.live->seconds_per_step || !step) return false;
  const auto median = *run.live->summary.median_step;
  return *step < median && static_cast<double>(median - *step) * *run.live->seconds_per_step >= 10;
}

std::string render_behind(const KnownRun& run, std::optional<std::uint64_t> step) {
  if (!run.live || !run.live->summary.median_step || !step) return "-";
  const auto median = *run.live->summary.median_step;
  return *step >= median ? "0" : std::to_string(median - *step);
}

}  // namespace

Line render_rank_head(const Frame& frame) {
  LineBuilder line(frame);
  line.add_cell("RANK", kRankMark + kRankColumns, Align::right, Style::head).gap(kGap);
  line.add_cell("HOST", host_columns(frame), Align::left, Style::head);
  const auto cell = [&](std::string_view text, std::size_t width, Align align = Align::right) {
    line.gap(kGap).add_cell(text, width, align, Style::head);
  };
  cell("STEP", kStep);
  cell("BEHIND", kBehind);
  cell("PHASE", kPhase, Align::left);
  cell("CPU", kCpu);
  cell("MEMORY", kMemory);
  cell("GPU", kGpu);
  cell("GPU MEM", kMemory);
  return line.finish();
}

Line render_rank_row(const KnownRun& run, int rank, Row row, const Frame& frame) {
  const auto* live = find_live(run, rank);
  const auto* recorded = find_recorded(run, rank);
  const auto step = live != nullptr       ? step_of(run, *live)
                    : recorded != nullptr ? recorded->last_step
                                          : std::nullopt;
  LineBuilder line(frame);
  line.add(row == Row::selected ? "> " : "  ", Style::strong);
  line.add_cell(std::to_string(rank), kRankColumns, Align::right).gap(kGap);
  const auto host = live != nullptr ? live->host : recorded != nullptr ? recorded->host : "";
  line.add_cell(host.empty() ? "-" : host, host_columns(frame));
  const auto cell = [&](std::string_view text, std::size_t width, Align align = Align::right,
                        Style style = Style::plain) { line.gap(kGap).add_cell(text, width, align, style); };
  const auto live_step = live != nullptr ? live->step : std::nullopt;
  cell(step ? std::to_string(*step) : "-", kStep);
  cell(render_behind(run, live_step), kBehind, Align::right,
       is_far_behind(run, live_step) ? Style::warn : Style::plain);
  cell(render_doing(run, recorded, live), kPhase, Align::left,
       ended_badly(run, recorded) ? Style::bad : Style::plain);
  const bool has_gpu = live != nullptr && live->gpu_percent.has_value();
  cell(live != nullptr && live->cpu_percent ? fmt::format("{:.0f} %", *live->cpu_percent) : "-", kCpu);
  cell(live != nullptr ? render_size(live->memory_bytes) : "-", kMemory);
  cell(has_gpu ? fmt::format("{:.0f} %", *live->gpu_percent) : "-", kGpu);
  cell(has_gpu ? render_size(live->gpu_memory_bytes) : "-", kMemory);
  return line.finish(row);
}

}  // namespace ddp::cli
