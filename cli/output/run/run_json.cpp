#include "cli/output/run/run_json.hpp"

#include "cli/output/json_values.hpp"
#include "cli/output/run/report_json.hpp"
#include "cli/store/report/time_spent.hpp"
#include "cli/store/state/sweep_state.hpp"

namespace ddp::cli {
namespace {

using nlohmann::json;

json to_json(const RankStatus& rank) {
  return {{"rank", rank.rank},
          {"host", text_or_null(rank.host)},
          {"pid", rank.pid},
          {"ended", rank.ended},
          {"code", value_or_null(rank.code)},
          {"signal", value_or_null(rank.signal)},
          {"ended_by", text_or_null(rank.ended_by)},
          {"killed", text_or_null(rank.killed)},
          {"last_step", value_or_null(rank.last_step)},
          {"phase", text_or_null(rank.phase)}};
}

json to_json(const std::map<std::string, ToldMetric>& metrics) {
  json by_name = json::object();
  for (const auto& [name, metric] : metrics)
    by_name[name] = {
        {"value", value_or_null(metric.value)}, {"step", metric.step}, {"kind", text_or_null(metric.kind)}};
  return by_name;
}

json to_json(const UnwrittenCheckpoint& failed) {
  return {{"step", failed.step}, {"reason", failed.reason}};
}

json to_json(const TrainingProgress& progress) {
  json fields = {{"kind", text_or_null(progress.kind)},
                 {"attempt", progress.attempt},
                 {"step", progress.step},
                 {"total_steps", value_or_null(progress.total_steps)},
                 {"epoch", value_or_null(progress.epoch)},
                 {"loss", value_or_null(progress.loss)},
                 {"accuracy", value_or_null(progress.accuracy)},
                 {"metrics", to_json(progress.metrics)}};
  if (progress.failed_checkpoint) fields["failed_checkpoint"] = to_json(*progress.failed_checkpoint);
  return fields;
}

json to_json(const LatestCheckpoint& checkpoint) {
  const auto& parameters = checkpoint.parameters;
  return {{"step", checkpoint.step},
          {"folder", checkpoint.folder.string()},
          {"parameters", parameters ? json(parameters->string()) : json()},
          {"sharded", checkpoint.is_sharded}};
}

json plan_to_json(const LaunchPlan& plan) {
  return {{"command", plan.argv},
          {"nodes", plan.nodes},
          {"tasks_per_node", plan.tasks_per_node},
          {"cpus_per_task", plan.cpus_per_task},
          {"gpus_per_node", plan.gpus_per_node},
          {"time_limit_seconds", plan.time_limit ? json(plan.time_limit->count()) : json()}};
}

json to_json(const AttemptStatus& attempt) {
  json ranks = json::array();
  for (const auto& rank : attempt.ranks) ranks.push_back(to_json(rank));
  return {{"number", attempt.number},
          {"host", text_or_null(attempt.host)},
          {"hosts", attempt.hosts},
          {"restart_count", attempt.restart_count},
          {"omp_num_threads", text_or_null(attempt.omp_num_threads)},
          {"outcome", text_or_null(attempt.outcome)},
          {"message", text_or_null(attempt.message)},
          {"warnings", attempt.warnings},
          {"likely_cause", text_or_null(attempt.likely_cause)},
          {"last_step", value_or_null(attempt.last_step)},
          {"resumed_from", value_or_null(attempt.resumed_from)},
          {"lost_steps", value_or_null(attempt.lost_steps)},
          {"started", time_or_null(attempt.started)},
          {"ended", time_or_null(attempt.ended)},
          {"ranks", std::move(ranks)}};
}

/// null for a single run.
json sweep_to_json(const KnownRun& run, std::chrono::system_clock::time_point now) {
  if (!run.sweep) return {};
  json points = json::array();
  for (std::size_t number = 0; number < run.points.size(); ++number) {
    json values = json::object();
    for (std::size_t key = 0; key < run.sweep->keys.size(); ++key)
      values[run.sweep->keys[key]] = run.sweep->points[number][key];
    json& point = points.emplace_back(to_json(run.points[number], now));
    point["point"] = number;
    point["values"] = std::move(values);
  }
  json counts = json::object();
  for (const auto& [state, count] : count_states(run.status.points))
    counts[std::string(name_of(state))] = count;
  return {{"keys", run.sweep->keys}, {"counts", std::move(counts)}, {"points", std::move(points)}};
}

}  // namespace

json to_json(const KnownRun& run, std::chrono::system_clock::time_point now) {
  const auto& pointer = run.pointer;
  const auto& status = run.status;
  const auto spent = time_spent_by(status, now);
  const auto reached = reached_step(run);
  return {{"run_id", pointer.run_id},
          {"name", pointer.name},
          {"run_dir", pointer.run_dir},
          {"launcher", pointer.launcher},
          {"job_id", text_or_null(status.job_id.empty() ? pointer.job_id : status.job_id)},
          {"state", name_of(status.state)},
          {"final", is_final(status.state)},
          {"message", text_or_null(status.message)},
          {"step", reached > 0 ? json(reached) : json()},
          {"progress", run.progress ? to_json(*run.progress) : json()},
          {"live", run.live ? ddp::to_json(*run.live) : json()},
          {"checkpoint", run.checkpoint ? to_json(*run.checkpoint) : json()},
          {"cause", status.cause ? cause_to_json(*status.cause) : json()},
          {"recovery", run.report ? to_json(*run.report) : json()},
          {"exit_code", value_or_null(status.exit_code)},
          {"cancel_requested", status.cancel_requested},
          {"created", render_time(pointer.created)},
          {"submitted", time_or_null(status.submitted)},
          {"expected_start", time_or_null(status.expected_start)},
          {"started", time_or_null(status.started)},
          {"ended", time_or_null(status.ended)},
          {"elapsed_seconds", seconds_or_null(elapsed_of(status, now))},
          {"waited_seconds", seconds_or_null(spent.waited)},
          {"ran_seconds", seconds_or_null(spent.ran)},
          {"sweep", sweep_to_json(run, now)}};
}

json to_json(const std::vector<KnownRun>& runs, std::chrono::system_clock::time_point now) {
  json list = json::array();
  for (const auto& run : runs) list.push_back(to_json(run, now));
  return {{"runs", std::move(list)}};
}

namespace {

/// Not which files were changed: whoever asks for the diff is shown that.
json source_to_json(const KnownRun& run) {
  const RunFolder folder(run.pointer.run_dir);
  const SourceRecord& source = *run.source;
  return {{"submit_dir", source.folder},
          {"copy", source.copied ? json(folder.source_tree().string()) : json()},
          {"files", source.files},
          {"bytes", source.bytes},
          {"dirty", source.dirty ? json(*source.dirty) : json()},
          {"diff", source.has_diff ? json(folder.source_diff().string()) : json()},
          {"remarks", source.remarks}};
}

}  // namespace

json describe_json(const KnownRun& run, std::chrono::system_clock::time_point now) {
  json value = to_json(run, now);
  json attempts = json::array();
  for (const auto& attempt : run.status.attempts) attempts.push_back(to_json(attempt));
  value["attempts"] = std::move(attempts);
  value["plan"] = run.plan ? plan_to_json(*run.plan) : json();
  value["commit"] = text_or_null(run.status.commit);
  value["branch"] = text_or_null(run.status.branch);
  value["source"] = run.source ? source_to_json(run) : json();
  return value;
}

}  // namespace ddp::cli
