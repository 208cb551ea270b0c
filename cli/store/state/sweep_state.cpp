#include "cli/store/state/sweep_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ddp::cli {
namespace {

constexpr std::array<RunState, 4> kGraveEnds{RunState::failed, RunState::timed_out, RunState::preempted,
                                             RunState::cancelled};

RunState combine_states(const std::map<RunState, int>& counts) {
  const auto has = [&counts](RunState state) { return counts.contains(state); };
  const bool all_ended = std::ranges::all_of(counts, [](const auto& count) { return is_final(count.first); });
  if (all_ended) {
    const auto grave = std::ranges::find_if(kGraveEnds, has);
    return grave == kGraveEnds.end() ? RunState::succeeded : *grave;
  }
  if (has(RunState::running) || has(RunState::restarting)) return RunState::running;
  if (has(RunState::unknown)) return RunState::unknown;
  const bool none_ended =
      std::ranges::none_of(counts, [](const auto& count) { return is_final(count.first); });
  return none_ended ? RunState::queued : RunState::running;
}

std::string render_counts(const std::map<RunState, int>& counts) {
  std::string text;
  for (const auto& [state, count] : counts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, words_of(state));
  return text;
}

}  // namespace

RunPointer point_pointer(const RunPointer& sweep, int point) {
  RunPointer pointer = sweep;
  const RunFolder folder = RunFolder(sweep.run_dir).point_folder(point);
  pointer.run_id = folder.run_id();
  pointer.run_dir = folder.root();
  pointer.job_id.clear();
  return pointer;
}

std::map<RunState, int> count_states(const std::vector<RunStatus>& points) {
  std::map<RunState, int> counts;
  for (const auto& point : points) ++counts[point.state];
  return counts;
}

void combine_points(RunStatus& sweep) {
  const auto counts = count_states(sweep.points);
  sweep.state = combine_states(counts);
  sweep.message = render_counts(counts);
  sweep.started.reset();
  sweep.ended.reset();
  for (const auto& point : sweep.points) {
    if (point.started && (!sweep.started || *point.started < *sweep.started)) sweep.started = point.started;
    if (point.ended && (!sweep.ended || *point.ended > *sweep.ended)) sweep.ended = point.ended;
  }
  sweep.exit_code.reset();
  if (is_final(sweep.state)) {
    sweep.exit_code =
        static_cast<int>(sweep.state == RunState::succeeded ? ExitCode::ok : ExitCode::run_failed);
  } else {
    sweep.ended.reset();
  }
}

}  // namespace ddp::cli
