#include <fmt/format.h>

#include "cli/commands/compare/run_facts.hpp"
#include "cli/commands/watch/find_run.hpp"
#include "cli/launch/state/resolve_status.hpp"
#include "cli/output/table.hpp"
#include "cli/store/state/run_records.hpp"

namespace ddp::cli {
namespace {

nlohmann::json differences_to_json(const std::vector<FactDifference>& differences) {
  nlohmann::json list = nlohmann::json::array();
  for (const auto& difference : differences) {
    list.push_back({{"section", difference.section},
                    {"key", difference.key},
                    {"a", difference.a ? difference.a->value : nlohmann::json()},
                    {"b", difference.b ? difference.b->value : nlohmann::json()}});
  }
  return list;
}

std::string text_of_fact(const std::optional<RunFact>& fact) {
  return fact ? fact->text : "-";
}

/// A table whose sections are set apart.
std::string render_differences(const std::vector<FactDifference>& differences, const std::string& a,
                               const std::string& b) {
  std::vector<std::vector<std::string>> rows{{"KEY", a, b}};
  std::string section;
  for (const auto& difference : differences) {
    if (difference.section != section) rows.push_back({difference.section});
    section = difference.section;
    rows.push_back({"  " + difference.key, text_of_fact(difference.a), text_of_fact(difference.b)});
  }
  return render_table(rows);
}

std::vector<RunFact> facts_of(const RunPointer& pointer, Context& context) {
  auto run = resolve_run(pointer, context.seams());
  if (auto plan = load_run_plan(RunFolder(pointer.run_dir))) run.plan = std::move(*plan);
  return load_run_facts(run, context.system.clock.now());
}

Outcome compare(const Arguments& arguments, Context& context) {
  auto found = find_runs({*arguments.one("A"), *arguments.one("B")}, context);
  if (!found) return refuse(found.error());
  if (!found->errors.empty()) return tl::unexpected(std::move(found->errors));
  const auto& a = found->pointers.front();
  const auto& b = found->pointers.back();
  if (a.run_id == b.run_id) {
    return refuse({ExitCode::usage, fmt::format("both name run {}", a.run_id),
                   "the ids of runs: ddpsubmit list --name " + a.name});
  }
  for (const auto& run : found->pointers) {
    if (auto exists = check_exists(RunFolder(run.run_dir)); !exists) return refuse(exists.error());
  }
  const auto differences = compare_facts(facts_of(a, context), facts_of(b, context));
  const auto equal = fmt::format("runs {} and {} do not differ\n", a.run_id, b.run_id);
  context.reporter.answer(
      {.schema = "ddpsubmit.compare.v1",
       .value = {{"a", a.run_id}, {"b", b.run_id}, {"differences", differences_to_json(differences)}},
       .text = differences.empty() ? equal : render_differences(differences, a.run_id, b.run_id)});
  return ExitCode::ok;
}

}  // namespace

Command compare_command() {
  return {.name = "compare",
          .summary = "Print how two runs differ: settings, code, data, hosts, versions, results",
          .operands = {{"A", kRunDoc, Arity::one, WordKind::run},
                       {"B", "the other run", Arity::one, WordKind::run}},
          .options = {},
          .examples = {{"compare first last", "two runs by name or id"},
                       {"compare search/0 search/3", "two points of a sweep"}},
          .run = compare};
}

}  // namespace ddp::cli
