#include "cli/report/model/run_label.hpp"

#include <algorithm>
#include <charconv>

#include "cli/output/run/sweep_table.hpp"

namespace ddp::cli {
namespace {

bool is_point_of(const KnownRun& sweep, const KnownRun& run) {
  return run.pointer.run_id.starts_with(sweep.pointer.run_id + "/");
}

}  // namespace

std::string values_of_point(const ReportModel& model, const KnownRun& run) {
  const auto& id = run.pointer.run_id;
  for (const auto& sweep : model.sweeps) {
    if (!sweep.sweep || !is_point_of(sweep, run)) continue;
    std::size_t point = 0;
    const auto* begin = id.data() + sweep.pointer.run_id.size() + 1;
    const auto read = std::from_chars(begin, id.data() + id.size(), point);
    if (read.ec != std::errc() || point >= sweep.sweep->points.size()) return {};
    const auto text = render_point(*sweep.sweep, point);  // "point 0: learning_rate 0.1"
    const auto colon = text.find(": ");
    return colon == text.npos ? "" : text.substr(colon + 2);
  }
  return {};
}

bool is_about_one_sweep(const ReportModel& model) {
  return model.sweeps.size() == 1 && std::ranges::all_of(model.runs, [&](const ReportedRun& run) {
           return is_point_of(model.sweeps.front(), run.run);
         });
}

std::string label_of(const ReportModel& model, const KnownRun& run) {
  const auto values = values_of_point(model, run);
  const auto& id = run.pointer.run_id;
  const bool is_short = !values.empty() && is_about_one_sweep(model);
  return (is_short ? id.substr(id.rfind('/') + 1) : id) + (values.empty() ? "" : ": " + values);
}

}  // namespace ddp::cli
