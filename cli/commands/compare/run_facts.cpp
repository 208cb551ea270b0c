#include "cli/commands/compare/run_facts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/output/secret_names.hpp"
#include "cli/output/time_text.hpp"
#include "cli/spec/field_writer.hpp"
#include "cli/spec/setup_lines.hpp"
#include "cli/store/report/time_spent.hpp"
#include "jobenv/config/scalar.hpp"
#include "jobenv/config/yaml_text.hpp"
#include "jobenv/record/fields/json_text.hpp"
#include "jobenv/record/fields/lenient_fields.hpp"
#include "jobenv/record/files/durable_file.hpp"
#include "jobenv/record/files/file_tail.hpp"
#include "jobenv/record/latest_checkpoint.hpp"
#include "jobenv/record/ledger/ledger.hpp"
#include "jobenv/record/metrics/metrics_record.hpp"

namespace ddp::cli {
namespace {

using nlohmann::json;

constexpr std::string_view kHidden = "(hidden)";
constexpr std::size_t kMetricsTail = 64 << 10;

json parse_object(const std::string& text) {
  auto value = parse_json(text);
  return value.is_object() ? value : json::object();
}

/// A value by itself needs no quotes, unless it has several lines.
std::string render_setting(const ConfigNode& node) {
  const bool is_line = node.kind == ConfigNode::Kind::scalar && node.scalar.find('\n') == node.scalar.npos;
  return is_line && !node.scalar.empty() ? node.scalar : render_node(node);
}

bool describes_data(std::string_view key) {
  return key == "train.data" || key.starts_with("train.data.");
}

bool hides_value(std::string_view variable) {
  return secret_suspicion_of(variable) == SecretSuspicion::likely;
}

class Facts {
 public:
  void add(std::string_view section, std::string key, std::string text, json value) {
    facts_.push_back({std::string(section), std::move(key), std::move(text), std::move(value), {}});
  }
  /// What is not known is left out.
  void add_text(std::string_view section, std::string key, const std::string& text) {
    if (!text.empty()) add(section, std::move(key), text, text);
  }

  void add_settings(const ConfigNode& node, const std::string& key) {
    const bool has_keys = node.kind == ConfigNode::Kind::map && !node.entries.empty();
    for (const auto& entry : node.entries)
      add_settings(entry.value, key.empty() ? entry.key : key + "." + entry.key);
    if (has_keys) return;
    auto text = render_setting(node);
    if (is_secret_setting(key)) {
      facts_.push_back({"settings", key, std::string(kHidden), kHidden, std::move(text)});
    } else {
      add_text(describes_data(key) ? "data" : "settings", key, text);
    }
  }

  [[nodiscard]] std::vector<RunFact> take() { return std::move(facts_); }

 private:
  static bool is_secret_setting(std::string_view key) {
    constexpr std::string_view kSweep = "sweep.";
    if (key.starts_with(kSweep)) key.remove_prefix(kSweep.size());
    constexpr std::string_view kVariables = "environment.set.";
    constexpr std::string_view kArguments = "args.";
    if (key.starts_with(kVariables)) return hides_value(key.substr(kVariables.size()));
    return key.starts_with(kArguments) && hides_value(key.substr(kArguments.size()));
  }

  std::vector<RunFact> facts_;
};

/// Pushed files are named by their hashes.
void add_code(const KnownRun& run, Facts& facts) {
  facts.add_text("code", "commit", run.status.commit);
  facts.add_text("code", "branch", run.status.branch);
  const RunFolder folder(run.pointer.run_dir);
  if (run.plan) facts.add_text("code", "working folder", run.plan->submit_dir);
  const auto pushed = parse_object(load_file(folder.pushed_files()).value_or(""));
  for (const json& file : pushed.value("files", json::array())) {
    if (!file.is_object()) continue;
    const auto name = text_of(file, "name");
    facts.add_text("code", "pushed " + (name.empty() ? "file" : name), text_of(file, "sha256"));
  }
}

void add_hosts_of_run(const KnownRun& run, Facts& facts) {
  if (run.status.attempts.empty()) return;
  const auto& hosts = run.status.attempts.back().hosts;
  if (!hosts.empty()) facts.add("hosts", "hosts", fmt::format("{}", fmt::join(hosts, ", ")), hosts);
}

/// The version that has made the newest submission.
std::string find_version(const RunFolder& folder) {
  std::string version;
  const auto ledger = load_ledger(folder, RankEvents::skip);
  for (const auto& event : ledger ? *ledger : std::vector<LedgerEvent>()) {
    if (auto intent = as<event::SubmitIntent>(event)) version = std::move(intent->version);
  }
  return version;
}

void add_versions(const KnownRun& run, Facts& facts) {
  facts.add_text("versions", "ddpsubmit", find_version(RunFolder(run.pointer.run_dir)));
  const auto checkpoint = find_latest_checkpoint(RunFolder(run.pointer.run_dir));
  if (!checkpoint) return;
  const auto state = parse_object(load_file(checkpoint->folder / "state.json").value_or(""));
  const json libtorch = state.value("/versions/libtorch"_json_pointer, json());
  if (libtorch.is_string()) facts.add_text("versions", "libtorch", libtorch.get<std::string>());
}

/// The last record of a step or of an evaluation.
json load_last_metrics(const RunFolder& folder) {
  auto tail = load_tail(folder.metrics(), kMetricsTail);
  while (!tail.empty()) {
    const auto line = last_line(tail);
    if (line.empty()) break;
    const auto kind = kind_of_line(line);
    if (kind == metrics_kind::kTrain || kind == metrics_kind::kEvaluate)
      return parse_object(std::string(line));
    const auto begin = tail.rfind('\n', static_cast<std::size_t>(line.data() - tail.data()));
    tail.resize(begin == tail.npos ? 0 : begin);
  }
  return json::object();
}

/// Of the numbers that every training logs only loss and accuracy: the others are speeds and counts.
bool is_result(const std::string& name) {
  if (name == "loss" || name == "accuracy" || name == "epoch") return true;
  if (name == "step" || name == "attempt" || name == "time" || name == "kind") return false;
  return std::ranges::find(metrics_fields(), name, &MetricsField::name) == metrics_fields().end();
}

void add_results(const KnownRun& run, std::chrono::system_clock::time_point now, Facts& facts) {
  const auto& status = run.status;
  facts.add("results", "state", words_of(status.state), name_of(status.state));
  facts.add_text("results", "message", status.message);
  if (const auto step = reached_step(run); step > 0) facts.add("results", "step", std::to_string(step), step);
  const auto metrics = load_last_metrics(RunFolder(run.pointer.run_dir));
  for (const auto& [name, value] : metrics.items()) {
    if (value.is_number() && is_result(name)) facts.add("results", name, value.dump(), value);
  }
  if (!status.attempts.empty())
    facts.add("results", "attempts", std::to_string(status.attempts.size()), status.attempts.size());
  if (const auto ran = time_spent_by(status, now).ran)
    facts.add("results", "time", render_elapsed(*ran), std::chrono::duration<double>(*ran).count());
}

}  // namespace

std::vector<RunFact> load_run_facts(const KnownRun& run, std::chrono::system_clock::time_point now) {
  Facts facts;
  const auto file = RunFolder(run.pointer.run_dir).spec();
  if (const auto spec = load_yaml(file, file, Origin::config_file, kTextKeys)) facts.add_settings(*spec, {});
  add_code(run, facts);
  add_hosts_of_run(run, facts);
  add_versions(run, facts);
  add_results(run, now, facts);
  return facts.take();
}

}  // namespace ddp::cli
