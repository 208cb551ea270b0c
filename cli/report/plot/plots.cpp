#include "cli/report/plot/plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "cli/report/model/run_label.hpp"
#include "cli/store/sweep_record.hpp"

namespace ddp::cli {
namespace {

constexpr std::size_t kMostOtherPlots = 16;
constexpr double kMebibyte = 1 << 20, kGibibyte = 1 << 30;

struct LineOfPlot {
  std::string_view kind;
  std::string_view metric;
  std::string_view label;
};

struct PlotDescription {
  std::string_view id;
  std::string_view title;
  std::string_view unit;
  PlotForm form;
  bool from_zero;
  std::array<LineOfPlot, 4> lines;
};

constexpr auto kTrain = metrics_kind::kTrain;
constexpr auto kTest = metrics_kind::kEvaluate;
constexpr std::string_view kBytes = "bytes";

constexpr auto kPlots = std::to_array<PlotDescription>({
    {"loss", "Loss", "", PlotForm::lines, false, {{{kTrain, "loss", "training"}, {kTest, "loss", "test"}}}},
    {"accuracy",
     "Accuracy",
     "",
     PlotForm::lines,
     false,
     {{{kTrain, "accuracy", "training"}, {kTest, "accuracy", "test"}}}},
    {"learning-rate",
     "Learning rate",
     "",
     PlotForm::lines,
     false,
     {{{kTrain, "learning_rate", "learning rate"}}}},
    {"gradient-norm",
     "Gradient norm before clipping",
     "",
     PlotForm::lines,
     false,
     {{{kTrain, "gradient_norm", "gradient norm"}}}},
    {"throughput",
     "Throughput of all ranks",
     "samples/s",
     PlotForm::lines,
     true,
     {{{kTrain, "samples_per_second", "training"}}}},
    {"step-time",
     "Step time on rank 0",
     "ms",
     PlotForm::lines,
     true,
     {{{kTrain, "step_ms_p50", "median"},
       {kTrain, "step_ms_p90", "90th percentile"},
       {kTrain, "step_ms_p99", "99th percentile"},
       {kTrain, "step_ms_max", "maximum"}}}},
    {"slowest-rank",
     "Slowest rank, without waiting for others",
     "ms per step",
     PlotForm::lines,
     true,
     {{{kTrain, "slowest_rank_ms", "slowest rank"}, {kTrain, "median_rank_ms", "median rank"}}}},
    {"memory",
     "Memory of rank 0",
     kBytes,
     PlotForm::lines,
     true,
     {{{kTrain, "memory_bytes", "RAM"},
       {kTrain, "peak_memory_bytes", "RAM, peak"},
       {kTrain, "gpu_memory_bytes", "GPU"},
       {kTrain, "peak_gpu_memory_bytes", "GPU, peak"}}}},
    {"gpu-utilization",
     "Utilization of the GPU of rank 0",
     "0 to 1",
     PlotForm::lines,
     true,
     {{{kTrain, "gpu_utilization", "utilization"}}}},
});

bool is_own_metric(std::string_view name) {
  return std::ranges::find(metrics_fields(), name, &MetricsField::name) == metrics_fields().end();
}

void scale(BucketValues& values, double factor) {
  for (auto& value : values)
    if (value) value = BucketValue{value->lowest * factor, value->mean * factor, value->highest * factor};
}

double highest_of(const std::vector<PlotLine>& lines) {
  double highest = 0;
  for (const auto& line : lines)
    for (const auto& value : line.values)
      if (value) highest = std::max(highest, value->highest);
  return highest;
}

void choose_unit_of_bytes(Plot& plot) {
  const bool large = highest_of(plot.lines) >= kGibibyte;
  plot.unit = large ? "GiB" : "MiB";
  for (auto& line : plot.lines) scale(line.values, 1 / (large ? kGibibyte : kMebibyte));
}

/// Whether records between the first and the last value lack the metric so often that it is not for a fault.
bool is_sparse(const BucketValues& values) {
  const auto known = [](const auto& value) { return value.has_value(); };
  const auto first = std::ranges::find_if(values, known);
  if (first == values.end()) return false;
  const auto end = std::find_if(values.rbegin(), values.rend(), known).base();
  const auto count = std::count_if(first, end, known);
  return 4 * count < 3 * (end - first);
}

/// `number` chooses the colour.
void add_line_numbered(Plot& plot, std::string label, std::size_t number, const ReducedRecords& records,
                       const BucketValues& values) {
  plot.lines.push_back({.label = std::move(label),
                        .buckets = records.buckets,
                        .values = values,
                        .colour = static_cast<int>(number % kPlotColours),
                        .dashed = number / kPlotColours % 2 == 1,
                        .joined = is_sparse(values)});
}

void add_line(Plot& plot, std::string label, const ReducedRecords& records, const BucketValues& values) {
  add_line_numbered(plot, std::move(label), plot.lines.size(), records, values);
}

/// Part by part; backward without the wait in it. Only of records that know what a step does.
Plot step_parts_plot(const ReportedRun& run) {
  Plot plot{"step-parts", "What a step of rank 0 does", "ms", PlotForm::stack, true, {}};
  const auto* records = find_kind(run.series, kTrain);
  if (records == nullptr || find_metric(*records, "backward_ms") == nullptr) return plot;
  const auto values_of = [&](std::string_view name) {
    const auto* metric = find_metric(*records, name);
    return metric == nullptr ? BucketValues(records->buckets.size()) : metric->values;
  };
  auto backward = values_of("backward_ms");
  auto wait = values_of("exposed_communication_ms");
  for (std::size_t i = 0; i < backward.size(); ++i) {
    if (!backward[i] || !wait[i]) continue;
    wait[i]->mean = std::min(wait[i]->mean, backward[i]->mean);  // it is a mean since the attempt began
    backward[i]->mean -= wait[i]->mean;
  }
  const auto has_values = [](const BucketValues& values) {
    return std::ranges::any_of(values, [](const auto& value) { return !!value; });
  };
  const auto add = [&](const char* label, BucketValues values) {
    if (!has_values(values)) return;
    for (auto& value : values)
      if (value) value = BucketValue{value->mean, value->mean, value->mean};
    add_line(plot, label, *records, values);
  };
  add("wait for data", values_of("data_wait_ms"));
  add("forward", values_of("forward_ms"));
  add("backward", std::move(backward));
  add("wait for other ranks", std::move(wait));
  add("update", values_of("update_ms"));
  return plot;
}

Plot plot_of(const PlotDescription& description, const ReportedRun& run) {
  Plot plot{std::string(description.id),   std::string(description.title),
            std::string(description.unit), description.form,
            description.from_zero,         {}};
  for (const auto& line : description.lines) {
    const auto* records = find_kind(run.series, line.kind);
    const auto* metric = records == nullptr ? nullptr : find_metric(*records, line.metric);
    if (metric != nullptr) add_line(plot, std::string(line.label), *records, metric->values);
  }
  if (description.unit == kBytes) choose_unit_of_bytes(plot);
  return plot;
}

/// What programs have named themselves, each with a line of each kind.
std::vector<std::string> own_metrics(const std::vector<ReportedRun>& runs) {
  return names_of_metrics(runs, is_own_metric, kMostOtherPlots);
}

void add_plot(std::vector<Plot>& plots, Plot plot) {
  const bool can_be_share = plot.id.ends_with("accuracy") || plot.id == "gpu-utilization";
  plot.is_share = can_be_share && highest_of(plot.lines) <= 1;
  if (!plot.lines.empty()) plots.push_back(std::move(plot));
}

std::string label_of_kind(const std::string& kind) {
  if (kind == kTrain) return "training";
  return kind == kTest ? "test" : kind;
}

std::vector<Plot> plots_of_run(const ReportModel& model) {
  const auto& run = model.runs.front();
  std::vector<Plot> plots;
  for (const auto& description : kPlots) {
    if (description.id == "step-time") add_plot(plots, step_parts_plot(run));
    add_plot(plots, plot_of(description, run));
  }
  int number = 0;
  for (const auto& name : own_metrics(model.runs)) {
    Plot plot{fmt::format("own-{}", ++number), name};
    for (const auto& records : run.series) {
      const auto* metric = find_metric(records, name);
      if (metric != nullptr) add_line(plot, label_of_kind(records.kind), records, metric->values);
    }
    add_plot(plots, std::move(plot));
  }
  return plots;
}

Plot plot_of_runs(Plot plot, const ReportModel& model, std::string_view kind, std::string_view metric) {
  for (std::size_t number = 0; number < std::min(model.runs.size(), kMostDrawnRuns); ++number) {
    const auto* records = find_kind(model.runs[number].series, kind);
    const auto* found = records == nullptr ? nullptr : find_metric(*records, metric);
    if (found == nullptr) continue;
    add_line_numbered(plot, label_of(model, model.runs[number].run), number, *records, found->values);
    plot.lines.back().run = number;
  }
  return plot;
}

std::vector<Plot> plots_of_runs(const ReportModel& model) {
  std::vector<Plot> plots;
  const auto add = [&](Plot plot, std::string_view kind, std::string_view metric) {
    add_plot(plots, plot_of_runs(std::move(plot), model, kind, metric));
  };
  add({"loss", "Training loss"}, kTrain, "loss");
  add({"test-loss", "Test loss"}, kTest, "loss");
  add({"accuracy", "Training accuracy"}, kTrain, "accuracy");
  add({"test-accuracy", "Test accuracy"}, kTest, "accuracy");
  add({"learning-rate", "Learning rate"}, kTrain, "learning_rate");
  add({"throughput", "Throughput of all ranks", "samples/s", PlotForm::lines, true}, kTrain,
      "samples_per_second");
  add({"step-time", "Median step time on rank 0", "ms", PlotForm::lines, true}, kTrain, "step_ms_p50");
  int number = 0;
  for (const auto& name : own_metrics(model.runs)) {
    add({fmt::format("own-{}", ++number), name}, kTrain, name);
    add({fmt::format("own-test-{}", number), name + ", test"}, kTest, name);
  }
  return plots;
}

}  // namespace

std::vector<std::string> names_of_metrics(const std::vector<ReportedRun>& runs,
                                          bool (*is_wanted)(std::string_view name), std::size_t most) {
  std::set<std::string> names;
  for (const auto& run : runs)
    for (const auto& records : run.series)
      for (const auto& metric : records.metrics)
        if (is_wanted(metric.name)) names.insert(metric.name);
  std::vector<std::string> list(names.begin(), names.end());
  if (list.size() > most) list.resize(most);
  return list;
}

std::vector<Plot> make_plots(const ReportModel& model) {
  if (model.runs.empty()) return {};
  const bool alone = model.runs.size() == 1 && model.sweeps.empty();
  return alone ? plots_of_run(model) : plots_of_runs(model);
}

std::vector<std::string> missing_plots(const ReportedRun& run) {
  struct Wanted {
    const char* what;
    const char* metric;
  };
  constexpr auto kWanted = std::to_array<Wanted>({{"loss", "loss"},
                                                  {"throughput", "samples_per_second"},
                                                  {"the parts of a step", "backward_ms"},
                                                  {"memory", "memory_bytes"}});
  std::vector<std::string> missing;
  for (const auto& wanted : kWanted)
    if (find_metric(run.series, kTrain, wanted.metric) == nullptr) missing.emplace_back(wanted.what);
  if (run.rank_times.ranks.empty()) missing.emplace_back("the step times of each rank");
  return missing;
}

std::size_t buckets_per_run(std::size_t runs) {
  constexpr std::size_t kFewest = 60, kOfAllRuns = 4000;
  return runs <= 1 ? kMostBuckets
                   : std::clamp(kOfAllRuns / std::min(runs, kMostDrawnRuns), kFewest, kMostBuckets);
}

}  // namespace ddp::cli
