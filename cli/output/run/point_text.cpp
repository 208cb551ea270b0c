#include "cli/output/run/point_text.hpp"

#include <fmt/format.h>

#include "cli/output/metric_text.hpp"
#include "cli/output/run/end_text.hpp"
#include "cli/output/run/progress_text.hpp"
#include "cli/output/run/sweep_table.hpp"
#include "cli/output/run/verdict.hpp"
#include "jobenv/record/ledger/index_list.hpp"

namespace ddp::cli {
namespace {

/// By its number alone, as in its id: which of how many it is would be another number.
std::string name_point(const SweepRecord& sweep, std::size_t point) {
  return fmt::format("point {} ({})", point, render_point_values(sweep, point));
}

std::string render_results(const KnownRun& run) {
  const auto text = render_progress(run);
  const auto accuracy = run.progress ? run.progress->accuracy : std::nullopt;
  return text + (accuracy ? ", accuracy " + render_metric(*accuracy) : "");
}

std::string behind(std::string_view separator, const std::string& text) {
  return text.empty() ? "" : std::string(separator) + text;
}

}  // namespace

std::string render_point_start(const SweepRecord& sweep, std::size_t point) {
  return name_point(sweep, point) + " starts";
}

std::string render_point_end(const SweepRecord& sweep, std::size_t point, const KnownRun& run) {
  const auto name = name_point(sweep, point);
  if (run.status.state != RunState::succeeded) {
    const auto end = split_sentences(render_end(run.status)).front();
    return name + " " + end.substr(0, end.find('\n')) + behind("; ", render_likely_cause(run.status));
  }
  const auto ran = run.status.ended ? render_running_time(run.status, *run.status.ended) : "";
  return name + " succeeded" + behind(" in ", ran) + behind(": ", render_results(run));
}

std::string render_unstarted_points(const std::vector<int>& points) {
  const bool one = points.size() == 1;
  return fmt::format("point{} {} {} cancelled before {} started", one ? "" : "s", render_index_list(points),
                     one ? "was" : "were", one ? "it" : "they");
}

}  // namespace ddp::cli
