#include "cli/commands/start/show_rendering.hpp"

#include <fmt/format.h>

#include <map>

#include "cli/commands/start/load_config.hpp"
#include "cli/launch/launchers.hpp"
#include "cli/launch/plan/prepared_run.hpp"
#include "cli/output/count_text.hpp"
#include "cli/output/table.hpp"
#include "ddp/jobenv/shell_quote.hpp"
#include "jobenv/config/scalar.hpp"

namespace ddp::cli {
namespace {

// A run that is only shown has no id of its own.
constexpr std::string_view kShownId = "-00000000";
constexpr std::string_view kShownToken = "0000000000000000";

using Rows = std::vector<std::vector<std::string>>;

/// The name of the row stands before the first of its lines.
void add_rows(Rows& rows, const std::string& name, const std::vector<std::string>& lines) {
  for (const auto& line : lines) rows.push_back({&line == &lines.front() ? name : "", line});
}

std::vector<std::string> names_of(const std::map<std::string, std::string>& variables) {
  std::vector<std::string> names;
  for (const auto& [name, value] : variables) names.push_back(name);
  return names;
}

/// The hosts of a run whose hosts are known beforehand, by node rank.
std::vector<std::string> hosts_of(const LaunchPlan& plan, const std::string& this_host) {
  return plan.hosts.empty() ? std::vector<std::string>{this_host} : plan.hosts;
}

/// "node2: ranks 4-7, 1 CPU each", a line for each host.
std::vector<std::string> describe_ranks(const LaunchPlan& plan, const std::string& this_host) {
  const auto layout = layout_of(plan);
  std::vector<std::string> lines;
  for (const std::string& host : hosts_of(plan, this_host)) {
    const auto places = layout.places_on(static_cast<int>(lines.size()));
    const int first = places.front().rank;
    const int last = places.back().rank;
    lines.push_back(
        fmt::format("{}: rank{}, {} each", host,
                    first == last ? fmt::format(" {}", first) : fmt::format("s {}-{}", first, last),
                    render_count(static_cast<std::size_t>(plan.cpus_per_task), "CPU")));
  }
  return lines;
}

/// "0: train.seed=1 train.epochs=2"
std::vector<std::string> describe_points(const RunSpec& spec) {
  std::vector<std::string> lines;
  for (std::size_t point = 0; point < spec.points.size(); ++point) {
    std::string& line = lines.emplace_back(std::to_string(point) + ":");
    const auto values = spec.sweep_values(point);
    for (std::size_t key = 0; key < values.size(); ++key)
      line += " " + spec.sweep[key].name + "=" + values[key];
  }
  return lines;
}

/// Of a sweep those of the first point: each has a folder of its own.
std::vector<std::string> rank_command(const LaunchRequest& request) {
  const auto& points = request.spec.points;
  if (points.empty()) return request.plan.argv;
  const PlanPaths paths{request.plan.agent, request.plan.argv.front(), request.plan.work_dir};
  return make_launch_plan(points.front(), request.folder.point_folder(0), paths).argv;
}

std::string render_for_people(const std::vector<std::string>& argv) {
  std::string line;
  for (const auto& word : argv) line += (line.empty() ? "" : " ") + quote_on_one_line(word);
  return line;
}

std::vector<std::string> start_command(const PreparedRun& run) {
  const auto& request = run.request;
  return request.part ? sweep_command(request.plan, points_of(*request.part), request.token)
                      : head_command(request.plan);
}

/// What starts on this machine, in the order of the start. Values of variables are in --json.
std::string render_plan_text(const PreparedRun& run, const std::string& host) {
  const LaunchPlan& plan = run.request.plan;
  Rows rows{{"run folder", plan.run_dir}};
  add_rows(rows, plan.nodes == 1 ? "host" : "hosts", describe_ranks(plan, host));
  if (plan.time_limit) rows.push_back({"time limit", render_duration(*plan.time_limit)});
  rows.push_back({plan.hosts.empty() ? "agent" : "first host", render_command_line(start_command(run))});
  if (!plan.hosts.empty()) rows.push_back({"each host", render_command_line(node_command(plan))});
  rows.push_back({"working folder", plan.work_dir});
  add_rows(rows, "set-up lines", plan.setup);
  add_rows(rows, "sets variables", names_of(plan.set));
  rows.push_back({"each rank", render_for_people(rank_command(run.request))});
  add_rows(rows, "points", describe_points(run.request.spec));
  return render_table(rows);
}

/// Where the ranks of a run are, and what starts them; null for launchers that find out later.
nlohmann::json describe_start(const PreparedRun& run, const std::string& this_host) {
  const LaunchPlan& plan = run.request.plan;
  auto hosts = nlohmann::json::array();
  for (const std::string& host : hosts_of(plan, this_host)) {
    std::vector<int> ranks;
    for (const RankPlace& place : layout_of(plan).places_on(static_cast<int>(hosts.size())))
      ranks.push_back(place.rank);
    hosts.push_back({{"name", host}, {"ranks", std::move(ranks)}});
  }
  return {{"hosts", std::move(hosts)}, {"agent", start_command(run)}};
}

nlohmann::json rendering_json(const PreparedRun& run, const std::string& host) {
  const auto& plan = run.request.plan;
  nlohmann::json value = {{"launcher", plan.launcher},
                          {"plan", to_json(plan)},
                          {"command", plan.argv},
                          {"setup", plan.setup},
                          {"set", names_of(plan.set)},
                          {"hosts", nullptr},
                          {"agent", nullptr},
                          {"script", nullptr},
                          {"points", describe_points(run.request.spec)}};
  if (run.script) {
    value["script"] = *run.script;
  } else {
    value.update(describe_start(run, host));
  }
  return value;
}

}  // namespace

Expected<PreparedRun> prepare_shown_run(RunSpec spec, Launcher& launcher, const Context& context) {
  RunFolder folder(std::filesystem::path(spec.run_root) / (spec.name + std::string(kShownId)));
  return prepare_run(std::move(spec), place_of(std::move(folder), context), launcher,
                     std::string(kShownToken));
}

Outcome show_rendering(RunSpec spec, Context& context) {
  const auto launcher = make_launcher(spec.launcher->name, context.seams());
  if (!launcher) return refuse(launcher.error());
  const auto run = prepare_shown_run(std::move(spec), **launcher, context);
  if (!run) return refuse(run.error());
  const auto host = context.system.host.name();
  context.reporter.answer({.schema = "ddpsubmit.render.v1",
                           .value = rendering_json(*run, host),
                           .text = run->script ? *run->script : render_plan_text(*run, host)});
  return ExitCode::ok;
}

}  // namespace ddp::cli
