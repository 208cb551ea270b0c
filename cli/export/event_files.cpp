#include "cli/export/event_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cli/store/sweep_record.hpp"
#include "jobenv/record/files/durable_file.hpp"
#include "jobenv/record/tensorboard/events.hpp"
#include "jobenv/record/tensorboard/metrics_events.hpp"

namespace ddp::cli {
namespace {

using tensorboard::Hyperparameter;
using tensorboard::HyperparameterValue;

constexpr std::string_view kEventsPrefix = "events.out.tfevents.";  // TensorBoard looks for "tfevents"
constexpr std::string_view kEventsSuffix = ".ddpsubmit";

HyperparameterValue typed_value(const nlohmann::json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number()) return value.get<double>();
  return render_sweep_value(value);
}

/// The values of a point. A key has one type in all points; where they differ, it is text.
std::vector<Hyperparameter> hyperparameters_of(const RunExport& point, std::span<const RunExport> points) {
  std::vector<Hyperparameter> parameters;
  for (std::size_t key = 0; key < point.values.size(); ++key) {
    const auto& [name, value] = point.values[key];
    auto typed = typed_value(value);
    const bool differ = std::ranges::any_of(points, [&](const RunExport& other) {
      return other.values.size() > key && typed_value(other.values[key].second).index() != typed.index();
    });
    if (differ) typed = render_sweep_value(value);
    parameters.push_back({name, std::move(typed)});
  }
  return parameters;
}

double session_begin_of(const RunExport& run) {
  if (run.started) return tensorboard::seconds_of(*run.started);
  for (const auto record : run.records)
    if (record.time) return tensorboard::seconds_of(*record.time);
  return 0;
}

double session_end_of(const RunExport& run) {
  if (run.ended) return tensorboard::seconds_of(*run.ended);
  const auto last = run.records.back().time;
  return last ? tensorboard::seconds_of(*last) : session_begin_of(run);
}

std::string render_session_begin(const RunExport& run, std::span<const RunExport> exports) {
  if (run.values.empty()) return {};
  return tensorboard::render_session_start(session_begin_of(run), run.run_id,
                                           hyperparameters_of(run, exports));
}

std::string render_session_end(const RunExport& run) {
  using tensorboard::SessionEnd;
  if (run.values.empty() || !is_final(run.state)) return {};
  const bool succeeded = run.state == RunState::succeeded;
  return tensorboard::render_session_end(session_end_of(run),
                                         succeeded ? SessionEnd::success : SessionEnd::failure);
}

/// A TensorBoard that has read the file of an earlier export forgets it at the restart.
std::string begin_file(double time) {
  return tensorboard::render_version(time) + tensorboard::render_restart(time, 0);
}

EventFile event_file_of(const RunExport& run, std::span<const RunExport> exports) {
  EventFile file{run.run_id, begin_file(session_begin_of(run))};
  file.bytes += render_session_begin(run, exports);
  for (const auto record : run.records) file.bytes += tensorboard::render_metrics(record);
  file.bytes += render_session_end(run);
  return file;
}

/// Loss, accuracy, and what programs have named themselves: a column each.
bool is_result(std::string_view metric) {
  return metric == "loss" || metric == "accuracy" ||
         std::ranges::find(metrics_fields(), metric, &MetricsField::name) == metrics_fields().end();
}

std::vector<std::string> result_tags(std::span<const RunExport> exports) {
  std::set<std::string> tags;
  for (const auto& run : exports) {
    for (const auto record : run.records) {
      for (const auto& number : numbers_of(record))
        if (is_result(number.name)) tags.insert(tensorboard::tag_of(record.kind, number.name));
    }
  }
  return {tags.begin(), tags.end()};
}

EventFile experiment_file(const std::string& sweep, std::span<const RunExport> points) {
  const double time = session_begin_of(points.front());
  const auto parameters = hyperparameters_of(points.front(), points);
  return {sweep,
          begin_file(time) + tensorboard::render_experiment(time, sweep, parameters, result_tags(points))};
}

bool is_exported_file(const std::filesystem::path& path) {
  const auto name = path.filename().string();
  return name.starts_with(kEventsPrefix) && name.ends_with(kEventsSuffix);
}

void remove_other_exports(const std::filesystem::path& kept) {
  std::error_code error;
  std::vector<std::filesystem::path> old;
  for (const auto& entry : std::filesystem::directory_iterator(kept.parent_path(), error)) {
    if (is_exported_file(entry.path()) && entry.path() != kept) old.push_back(entry.path());
  }
  for (const auto& path : old) std::filesystem::remove(path, error);
}

}  // namespace

std::vector<EventFile> render_event_files(const std::string& sweep, std::span<const RunExport> exports) {
  std::vector<EventFile> files;
  if (!sweep.empty() && !exports.empty()) files.push_back(experiment_file(sweep, exports));
  for (const auto& run : exports) {
    if (!run.records.empty()) files.push_back(event_file_of(run, exports));
  }
  return files;
}

Expected<void> save_event_files(const std::filesystem::path& folder, std::span<const EventFile> files,
                                std::chrono::system_clock::time_point now) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
  const auto name = fmt::format("{}{:010}{}", kEventsPrefix, seconds, kEventsSuffix);
  for (const auto& file : files) {
    const auto path = folder / file.folder / name;
    std::error_code error;
    std::filesystem::create_directories(path.parent_path(), error);
    if (error) {
      return fail(ExitCode::run_failed,
                  fmt::format("cannot create '{}': {}", path.parent_path().string(), error.message()),
                  "give --tensorboard a folder that you may write to");
    }
    if (auto saved = save_file(path, file.bytes, Durability::visible); !saved) return saved;
    remove_other_exports(path);
  }
  return {};
}

}  // namespace ddp::cli
