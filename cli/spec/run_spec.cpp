#include "cli/spec/run_spec.hpp"

#include <algorithm>

#include "jobenv/config/field_reader.hpp"
#include "jobenv/config/scalar.hpp"
#include "jobenv/record/plan/notify_event.hpp"

namespace ddp::cli {
namespace {

constexpr std::chrono::seconds kShortestTraining{60};  // of a time limit, before the stop signal comes

/// Whether so many ranks can take an optimizer step of the same samples as those that were planned.
bool divides_step(const trainer::TrainConfig& train, int ranks) {
  const auto batches = trainer::batches_of_a_step(train, ranks);
  return train.data.global_batch_size && *train.data.global_batch_size % batches == 0;
}

}  // namespace

std::optional<SourceMark> ValueOrigins::mark(const std::string& path) const {
  const auto found = by_path.find(path);
  if (found == by_path.end()) return std::nullopt;
  return found->second.mark();
}

std::optional<SourceMark> ValueOrigins::mark_item(const std::string& list, std::size_t index) const {
  auto item = mark(item_path(list, index));
  return item ? item : mark(list);
}

std::vector<std::string> RunSpec::sweep_values(std::size_t point) const {
  std::vector<std::string> values;
  std::size_t stride = points.size();
  for (const NamedList& axis : sweep) {
    stride /= axis.values.size();
    values.push_back(axis.values[point / stride % axis.values.size()]);
  }
  return values;
}

std::optional<std::string> RunSpec::stop_signal() const {
  if (fault_tolerance.signal == "none") return std::nullopt;
  if (fault_tolerance.signal != "auto") return fault_tolerance.signal;
  const bool in_time = train || !resources.time || *resources.time > shortest_time_with_signal();
  return in_time ? std::optional<std::string>("USR2") : std::nullopt;
}

std::chrono::seconds RunSpec::shortest_time_with_signal() const {
  return fault_tolerance.signal_lead + kShortestTraining;
}

std::optional<std::chrono::seconds> RunSpec::hang_timeout() const {
  if (fault_tolerance.hang_timeout == "off") return std::nullopt;
  if (fault_tolerance.hang_timeout == "auto") return std::chrono::minutes(1);
  return parse_duration(fault_tolerance.hang_timeout, DurationForm::units).value();
}

bool RunSpec::model_has_no_blocks() const {
  if (!train) return false;
  const auto* model = trainer::find_schema(schemas->models, train->model.name);
  return model != nullptr && model->blocks == trainer::ComponentSchema::Blocks::none;
}

int RunSpec::ranks_of_shard_group() const {
  if (train->strategy.name != "hsdp") return world_size();
  const auto shard = static_cast<int>(train->strategy.get<std::int64_t>("shard"));
  return std::min(shard > 0 ? shard : resources.tasks_per_node, world_size());
}

int RunSpec::max_restarts() const {
  return static_cast<int>(fault_tolerance.max_restarts.value_or(train ? 3 : 0));
}

std::vector<int> RunSpec::fewer_nodes() const {
  std::vector<int> counts;
  if (!launcher->starts_with_fewer_nodes || !fault_tolerance.min_nodes) return counts;
  for (int nodes = static_cast<int>(*fault_tolerance.min_nodes); nodes < resources.nodes; ++nodes) {
    if (!train || divides_step(*train, nodes * resources.tasks_per_node)) counts.push_back(nodes);
  }
  return counts;
}

std::vector<std::string> RunSpec::notify_events() const {
  if (notify.command.empty() || !notify.events.empty()) return notify.events;
  return {std::string(name_of(NotifyEvent::ended)), std::string(name_of(NotifyEvent::failed))};
}

std::string advise_on_signal_lead(const RunSpec& spec) {
  const auto longer = "set resources.time above " + render_duration(spec.shortest_time_with_signal());
  const auto lead = spec.resources.time.value_or(std::chrono::seconds{0}) - kShortestTraining;
  if (lead <= std::chrono::seconds{1}) return longer + ", or fault_tolerance.signal: none";
  return longer + ", or fault_tolerance.signal_lead below " + render_duration(lead);
}

std::vector<std::string> all_setup(const RunSpec& spec) {
  const auto* section = spec.sections.find(spec.launcher->name);
  auto lines = section != nullptr ? section->setup_lines() : std::vector<std::string>();
  lines.insert(lines.end(), spec.environment.setup.begin(), spec.environment.setup.end());
  return lines;
}

bool has_setup(const RunSpec& spec) {
  return !all_setup(spec).empty();
}

bool shares_folder(const RunSpec& spec) {
  return spec.launcher->shares_folder == nullptr || spec.launcher->shares_folder(spec);
}

}  // namespace ddp::cli
