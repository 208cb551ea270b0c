#include "cli/commands/start/explain_run.hpp"

#include <set>

#include "cli/commands/start/show_rendering.hpp"
#include "cli/launch/launchers.hpp"
#include "cli/output/table.hpp"
#include "cli/spec/render_spec.hpp"

namespace ddp::cli {
namespace {

using nlohmann::json;
using Lines = std::vector<ExplainedLine>;

constexpr std::size_t kOriginColumn = 48;

const Place* find_place(const RunSpec& spec, const std::string& key) {
  const auto found = spec.origins.by_path.find(key);
  if (found != spec.origins.by_path.end()) return &found->second;
  const auto below = spec.origins.by_path.lower_bound(key + ".");  // a section: where its first value stands
  const bool is_section = below != spec.origins.by_path.end() && below->first.starts_with(key + ".");
  return is_section ? &below->second : nullptr;
}

std::string_view to_kind(const Place* place) {
  switch (place ? place->source->origin : Origin::default_value) {
    case Origin::default_value:
      return "default";
    case Origin::included_file:
      return "preset";
    case Origin::user_file:
      return "user";
    case Origin::config_file:
      return "file";
    case Origin::command_line:
      return "command_line";
    case Origin::environment:
      return "environment";
  }
  return "";
}

/// A preset by the name under which files include it; --json has its path.
std::string describe_place(const Place* place) {
  if (!place) return "default";
  if (place->source->origin != Origin::included_file) return place->describe();
  const std::filesystem::path file(place->source->name);
  const auto name = file.is_absolute() ? file.parent_path().filename() / file.filename() : file;
  return "preset " + name.string() + ":" + std::to_string(place->line);
}

std::string describe_origin(const std::string& key, const Place* place) {
  return key + " (" + describe_place(place) + ")";
}

std::string describe_origins(const ExplainedLine& line, const RunSpec& spec) {
  std::string text;
  for (const auto& key : line.keys)
    text += (text.empty() ? "" : ", ") + describe_origin(key, find_place(spec, key));
  if (line.why.empty()) return text;
  return text + (text.empty() ? "" : "; ") + "ddpsubmit: " + line.why;
}

/// The script itself, each line with a comment: it could still be run.
std::string render_lines(const Lines& lines, const RunSpec& spec) {
  std::string text;
  for (const auto& line : lines) {
    const std::string origins = describe_origins(line, spec);
    std::string shown = line.text;
    if (!origins.empty() && shown.size() < kOriginColumn) shown.resize(kOriginColumn, ' ');
    text += shown + (origins.empty() ? "" : "  # " + origins) + '\n';
  }
  return text;
}

/// "setup[0]" belongs to the value "setup".
std::set<std::string> shown_values(const Lines& lines) {
  std::set<std::string> shown;
  for (const auto& line : lines) {
    for (const auto& key : line.keys) shown.insert(key.substr(0, key.find('[')));
  }
  return shown;
}

std::string render_values(const std::vector<SpecRow>& values, const std::set<std::string>& shown) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& row : values) {
    if (!shown.contains(row.key)) rows.push_back({row.key, row.value, row.origin});
  }
  return render_table(rows);
}

json origin_json(const std::string& key, const Place* place) {
  json origin = {{"kind", to_kind(place)}, {"path", key},       {"file", nullptr},
                 {"line", nullptr},        {"column", nullptr}, {"why", nullptr}};
  if (place && place->line > 0) {
    origin["file"] = place->source->name;
    origin["line"] = place->line;
    origin["column"] = place->column;
  }
  return origin;
}

json line_json(const ExplainedLine& line, const RunSpec& spec) {
  json origins = json::array();
  for (const auto& key : line.keys) origins.push_back(origin_json(key, find_place(spec, key)));
  if (!line.why.empty()) {
    json own = origin_json({}, nullptr);
    own.update({{"kind", "ddpsubmit"}, {"path", nullptr}, {"why", line.why}});
    origins.push_back(std::move(own));
  }
  return {{"line", line.text}, {"origins", std::move(origins)}};
}

Report report_explanation(const Lines& lines, const RunSpec& spec) {
  json lines_json = json::array();
  for (const auto& line : lines) lines_json.push_back(line_json(line, spec));
  auto values = explain_spec(spec);
  if (!spec.spare_libtorch.empty())
    values.push_back({"train.libtorch", spec.spare_libtorch,
                      describe_place(find_place(spec, "train.libtorch")) +
                          ", unless the set-up lines select another LibTorch"});
  json values_json = json::array();
  for (const auto& row : values)
    values_json.push_back({{"key", row.key}, {"value", row.value}, {"origin", row.origin}});
  const std::string script =
      lines.empty() ? "" : render_lines(lines, spec) + "\n# Values that the script does not show:\n";
  return {.schema = "ddpsubmit.explain.v1",
          .value = {{"lines", std::move(lines_json)}, {"values", std::move(values_json)}},
          .text = script + render_values(values, shown_values(lines))};
}

}  // namespace

Outcome explain_run(RunSpec spec, Context& context) {
  const auto launcher = make_launcher(spec.launcher->name, context.seams());
  if (!launcher) return refuse(launcher.error());
  const auto run = prepare_shown_run(std::move(spec), **launcher, context);
  if (!run) return refuse(run.error());
  const auto lines = run->script ? (*launcher)->queue()->explain_script(run->request, *run->script) : Lines{};
  context.reporter.answer(report_explanation(lines, run->request.spec));
  return ExitCode::ok;
}

}  // namespace ddp::cli
