#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/report/model/report_model.hpp"

namespace ddp::cli {

struct PlotLine {
  std::string label;
  std::size_t run = 0;              ///< index in ReportModel::runs
  std::span<const Bucket> buckets;  ///< of the model, which must outlive the plot
  BucketValues values = {};         ///< one of each bucket
  int colour = 0;                   ///< 0 to kPlotColours - 1
  bool dashed = false;
  bool joined = false;  ///< over records that lack the metric: most do, as those between two validations
};

enum class PlotForm {
  lines,
  stack,  ///< areas on top of each other, of the same buckets
};

struct Plot {
  std::string id;  ///< letters, digits and dashes; unique in the page
  std::string title;
  std::string unit = {};
  PlotForm form = PlotForm::lines;
  bool from_zero = false;
  std::vector<PlotLine> lines = {};
  bool is_share = false;  ///< all values are within 0 to 1, and none can be higher
};

inline constexpr int kPlotColours = 6;
/// A page draws the curves of at most so many runs.
inline constexpr std::size_t kMostDrawnRuns = 40;

/// The metrics of all runs that are wanted, sorted, the first `most` of them.
[[nodiscard]] std::vector<std::string> names_of_metrics(const std::vector<ReportedRun>& runs,
                                                        bool (*is_wanted)(std::string_view name),
                                                        std::size_t most);

/// Those of which there are records. Of several runs each metric is a plot with a line of each run.
[[nodiscard]] std::vector<Plot> make_plots(const ReportModel& model);

/// What the records of a single run do not tell, of what a page could show.
[[nodiscard]] std::vector<std::string> missing_plots(const ReportedRun& run);

/// How many buckets the records of a kind are reduced to, so that the page of `runs` runs is not too large.
[[nodiscard]] std::size_t buckets_per_run(std::size_t runs);

}  // namespace ddp::cli
