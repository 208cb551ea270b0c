#include <fmt/format.h>

#include <optional>

#include "cli/commands/start/load_config.hpp"
#include "cli/commands/start/probe_nodes.hpp"
#include "cli/commands/watch/remove_run.hpp"
#include "cli/doctor/check.hpp"
#include "cli/doctor/probe_verdict.hpp"
#include "jobenv/config/suggestion.hpp"

namespace ddp::cli {
namespace {

constexpr Operand kOptionalConfig{kConfigOperand.name,
                                  "YAML configuration file: also check the nodes of its run",
                                  Arity::at_most_one, WordKind::config_file};

/// All that doctor has found.
struct Diagnosis {
  Findings findings;
  std::optional<EndedProbe> probe = {};
  std::vector<std::string> bad_hosts = {};
  std::string exclude = {};  ///< argument for the command line
  std::string kept = {};     ///< id of the probe's run, when it stays

  [[nodiscard]] bool is_healthy() const { return worst_verdict(findings) != Verdict::error; }
};

/// The reason why nobody was asked, as findings.
Findings describe_refusal(const Errors& errors) {
  Findings findings;
  for (const auto& error : errors) {
    findings.push_back(
        {.verdict = Verdict::error, .found = error.message, .advice = error.hint, .check = "run"});
  }
  return findings;
}

bool is_interruption(const Errors& errors) {
  return worst_code(errors) >= ExitCode::interrupted;
}

void add(Findings& findings, Findings further) {
  for (auto& finding : further) findings.push_back(std::move(finding));
}

/// Nothing of a probe that went well is left.
void settle(Diagnosis& diagnosis, const Context& context) {
  if (diagnosis.is_healthy()) return remove_run(diagnosis.probe->run.pointer, context);
  diagnosis.kept = diagnosis.probe->run.pointer.run_id;
}

Finding skip_nodes(const std::string& reason) {
  return {.verdict = Verdict::skipped, .found = "not checked: " + reason, .check = "nodes"};
}

tl::expected<void, Errors> examine_nodes(const RunSpec& spec, Diagnosis& diagnosis, Context& context) {
  if (!diagnosis.is_healthy()) {
    diagnosis.findings.push_back(skip_nodes("correct the errors of this machine first"));
    return {};
  }
  auto probe = probe_nodes(spec, context);
  if (!probe && is_interruption(probe.error())) return tl::unexpected(probe.error());
  if (!probe) {
    add(diagnosis.findings, describe_refusal(probe.error()));
    return {};
  }
  auto verdict = judge_probe(probe->report, probe->run.status, spec);
  add(diagnosis.findings, std::move(verdict.findings));
  diagnosis.bad_hosts = std::move(verdict.bad_hosts);
  diagnosis.exclude = exclude_argument(diagnosis.bad_hosts, spec);
  diagnosis.probe = std::move(*probe);
  settle(diagnosis, context);
  return {};
}

nlohmann::json text_or_null(const std::string& text) {
  return text.empty() ? nlohmann::json() : nlohmann::json(text);
}

nlohmann::json to_json(const Diagnosis& diagnosis) {
  nlohmann::json value = {
      {"healthy", diagnosis.is_healthy()},       {"checks", to_json(diagnosis.findings)},
      {"nodes", nlohmann::json::array()},        {"pairs", nlohmann::json::array()},
      {"bad_hosts", diagnosis.bad_hosts},        {"exclude", text_or_null(diagnosis.exclude)},
      {"kept_run", text_or_null(diagnosis.kept)}};
  if (!diagnosis.probe) return value;
  for (const auto& node : diagnosis.probe->report.nodes) value["nodes"].push_back(to_json(node));
  for (const auto& pair : merge_pairs(diagnosis.probe->report.pairs)) {
    value["pairs"].push_back({{"nodes", {pair.nodes.low, pair.nodes.high}},
                              {"small_seconds", pair.small_seconds},
                              {"large_seconds", pair.large_seconds},
                              {"problem", text_or_null(pair.problem)}});
  }
  return value;
}

std::string render(const Diagnosis& diagnosis) {
  auto text = render_findings(diagnosis.findings);
  if (!diagnosis.bad_hosts.empty()) text += "\nbad hosts: " + join_words(diagnosis.bad_hosts, ", ") + '\n';
  if (!diagnosis.exclude.empty()) text += "  run without them: " + diagnosis.exclude + '\n';
  if (!diagnosis.kept.empty())
    text += fmt::format("  next: ddpsubmit describe {} (the probe's run is kept)\n", diagnosis.kept);
  return text;
}

Outcome doctor(const Arguments& arguments, Context& context) {
  std::optional<RunSpec> spec;
  if (arguments.has(kConfigOperand.name)) {
    auto loaded = load_one_run(arguments, context);
    if (!loaded) return tl::unexpected(loaded.error());
    spec = std::move(*loaded);
  }
  Diagnosis diagnosis{.findings = examine_machine({.seams = context.seams(),
                                                   .own_folder = context.own_folder,
                                                   .work_dir = context.current_folder,
                                                   .run_root = spec ? std::filesystem::path(spec->run_root)
                                                                    : context.current_folder / "runs",
                                                   .spec = spec ? &*spec : nullptr})};
  if (spec) {
    if (const auto examined = examine_nodes(*spec, diagnosis, context); !examined)
      return tl::unexpected(examined.error());
  }
  context.reporter.answer(
      {.schema = "ddpsubmit.doctor.v1", .value = to_json(diagnosis), .text = render(diagnosis)});
  return diagnosis.is_healthy() ? ExitCode::ok : ExitCode::preflight_failed;
}

}  // namespace

Command doctor_command() {
  return {
      .name = "doctor",
      .summary = "Check this machine and, with CONFIG, the nodes of a run; exit 10 if a check finds an error",
      .operands = {kOptionalConfig, kOverridesOperand},
      .options = {},
      .description =
          "Without CONFIG, it checks this machine and the schedulers that it can reach. With CONFIG, it "
          "also starts a short job on nodes like those of the run, which measures clocks, disks and the "
          "network.",
      .examples = {{"doctor", "check this machine and its access to Slurm"},
                   {"doctor train.yaml launcher=slurm",
                    "also check the nodes, with a short job like the run"}},
      .run = doctor};
}

}  // namespace ddp::cli
