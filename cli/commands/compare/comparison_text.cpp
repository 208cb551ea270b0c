#include "cli/commands/compare/comparison_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/output/short_keys.hpp"
#include "cli/output/table.hpp"
#include "jobenv/config/suggestion.hpp"

namespace ddp::cli {
namespace {

constexpr std::string_view kMissing = "-";

std::string text_of_fact(const std::optional<RunFact>& fact) {
  return fact ? fact->text : std::string(kMissing);
}

/// Six digits tell runs apart.
std::string render_metric_of_run(const std::optional<RunFact>& fact) {
  const bool is_fraction = fact && fact->value.is_number_float();
  return is_fraction ? fmt::format("{:.6g}", fact->value.get<double>()) : text_of_fact(fact);
}

/// With as many digits as tell the two apart.
std::pair<std::string, std::string> render_two_values(const ComparedFact& fact) {
  std::pair<std::string, std::string> full(text_of_fact(fact.of_run[0]), text_of_fact(fact.of_run[1]));
  if (!is_metric(fact)) return full;
  std::pair<std::string, std::string> values(render_metric_of_run(fact.of_run[0]),
                                             render_metric_of_run(fact.of_run[1]));
  return values.first == values.second ? full : values;
}

std::string first_line_of_fact(const std::optional<RunFact>& fact) {
  const auto text = text_of_fact(fact);
  return text.substr(0, text.find('\n'));
}

/// The name of a run is in its id.
bool is_setting_column(const ComparedFact& fact) {
  return (fact.section == "settings" || fact.section == "data") && !fact.same && fact.key != "name";
}

std::vector<const ComparedFact*> setting_columns(const RunComparison& comparison) {
  std::vector<const ComparedFact*> facts;
  for (const auto& fact : comparison.facts)
    if (is_setting_column(fact)) facts.push_back(&fact);
  return facts;
}

std::vector<std::string> keys_of_facts(const std::vector<const ComparedFact*>& facts) {
  std::vector<std::string> keys;
  for (const auto* fact : facts) keys.push_back(fact->key);
  return keys;
}

const ComparedFact* find_result(const RunComparison& comparison, std::string_view key) {
  const auto fact = std::ranges::find_if(comparison.facts, [&](const ComparedFact& each) {
    return each.section == "results" && each.key == key;
  });
  return fact == comparison.facts.end() ? nullptr : &*fact;
}

/// Loss and accuracy, then what programs have named themselves.
std::vector<const ComparedFact*> metric_columns(const RunComparison& comparison) {
  std::vector<const ComparedFact*> facts;
  for (const auto* name : {"loss", "accuracy"})
    if (const auto* fact = find_result(comparison, name)) facts.push_back(fact);
  for (const auto& fact : comparison.facts)
    if (is_metric(fact) && fact.key != "loss" && fact.key != "accuracy") facts.push_back(&fact);
  return facts;
}

/// Programs choose the names of the others.
std::string head_of_metric(const std::string& key) {
  if (key == "loss") return "LOSS";
  return key == "accuracy" ? "ACCURACY" : key;
}

/// Why runs did not succeed; none where all did.
std::optional<ComparedFact> find_reasons(const RunComparison& comparison) {
  const auto* message = find_result(comparison, "message");
  const auto* state = find_result(comparison, "state");
  if (message == nullptr || state == nullptr) return std::nullopt;
  auto reasons = *message;
  for (std::size_t run = 0; run < reasons.of_run.size(); ++run)
    if (text_of_fact(state->of_run[run]) == "succeeded") reasons.of_run[run].reset();
  const bool any = std::ranges::any_of(reasons.of_run, [](const auto& fact) { return fact.has_value(); });
  return any ? std::optional(std::move(reasons)) : std::nullopt;
}

using TextRows = std::vector<std::vector<std::string>>;

/// "sweep-1a2b3c4d/", where all runs are points of that sweep; empty: they are not.
std::string_view shared_sweep(const std::vector<std::string>& run_ids) {
  const std::string_view first = run_ids.front();
  const auto slash = first.rfind('/');
  if (slash == first.npos) return {};
  const auto sweep = first.substr(0, slash + 1);
  const bool shared =
      std::ranges::all_of(run_ids, [sweep](const std::string& run_id) { return run_id.starts_with(sweep); });
  return shared ? sweep : std::string_view();
}

/// The table of many runs, column by column.
class RunTable {
 public:
  explicit RunTable(const RunComparison& comparison) : comparison_(comparison) {
    const auto sweep = shared_sweep(comparison.run_ids);
    rows_.push_back({sweep.empty() ? "RUN" : "POINT"});
    for (const auto& run_id : comparison.run_ids) rows_.push_back({run_id.substr(sweep.size())});
  }

  template <class Render>
  void add(std::string head, const ComparedFact* fact, Render render) {
    if (fact == nullptr) return;
    rows_.front().push_back(std::move(head));
    for (std::size_t run = 0; run < comparison_.run_ids.size(); ++run)
      rows_[run + 1].push_back(render(fact->of_run[run]));
  }
  void add_result(std::string head, std::string_view key) {
    add(std::move(head), find_result(comparison_, key), text_of_fact);
  }

  [[nodiscard]] TextRows take() && { return std::move(rows_); }

 private:
  const RunComparison& comparison_;
  TextRows rows_;
};

/// The first `count` of the settings that differ, and all results.
TextRows rows_of_runs(const RunComparison& comparison, std::size_t count) {
  RunTable table(comparison);
  const auto settings = setting_columns(comparison);
  const auto names = shorten_keys(keys_of_facts(settings));
  for (std::size_t column = 0; column < count; ++column)
    table.add(names[column], settings[column], text_of_fact);
  table.add_result("STATE", "state");
  for (const auto* fact : metric_columns(comparison))
    table.add(head_of_metric(fact->key), fact, render_metric_of_run);
  table.add_result("STEP", "step");
  table.add_result("TIME", "time");
  if (const auto reasons = find_reasons(comparison)) table.add("MESSAGE", &*reasons, first_line_of_fact);
  return std::move(table).take();
}

/// A row for each key, and a column for each run.
TextRows turn(const TextRows& rows) {
  TextRows turned(rows.front().size());
  for (const auto& row : rows)
    for (std::size_t column = 0; column < row.size(); ++column) turned[column].push_back(row[column]);
  return turned;
}

/// As many settings as fit into the terminal.
std::string render_some_settings(const RunComparison& comparison, std::size_t columns, std::size_t count) {
  auto shown = count;
  while (shown > 0 && !fits_table(rows_of_runs(comparison, shown), columns)) --shown;
  auto text = render_table(rows_of_runs(comparison, shown), columns);
  const auto hidden = count - shown;
  if (hidden == 0) return text;
  return text + fmt::format("{} more setting{}: --json shows {}\n", hidden,
                            hidden == 1 ? " differs" : "s differ", hidden == 1 ? "it" : "them");
}

/// A run that has not started has no hosts yet.
bool differs_where_known(const ComparedFact& fact) {
  const RunFact* first = nullptr;
  for (const auto& each : fact.of_run) {
    if (!each) continue;
    if (first == nullptr) first = &*each;
    if (each->text != first->text || each->compared != first->compared) return true;
  }
  return false;
}

/// "hosts", "the code's commit" or "the version of libtorch"
std::string name_of_difference(const ComparedFact& fact) {
  if (fact.section == "versions") return "the version of " + fact.key;
  if (fact.section == fact.key) return "the " + fact.key;
  return fmt::format("the {} of the {}", fact.key, fact.section);
}

/// "equal in both runs: loss 0.1 and accuracy 0.9"; empty: there is none.
std::string render_equal_metrics(const RunComparison& comparison) {
  std::vector<std::string> metrics;
  for (const auto* fact : metric_columns(comparison))
    if (fact->same) metrics.push_back(fact->key + " " + render_metric_of_run(fact->of_run.front()));
  if (metrics.empty()) return {};
  return "equal in both runs: " + join_words(metrics, " and ") + "\n";
}

}  // namespace

std::string render_pair(const RunComparison& comparison, std::optional<std::size_t> columns) {
  std::vector<std::vector<std::string>> rows{{"KEY", comparison.run_ids.at(0), comparison.run_ids.at(1)}};
  std::string section;
  for (const auto& fact : comparison.facts) {
    if (fact.same) continue;
    if (fact.section != section) rows.push_back({fact.section});
    section = fact.section;
    const auto values = render_two_values(fact);
    rows.push_back({"  " + fact.key, values.first, values.second});
  }
  const auto equal = render_equal_metrics(comparison);
  if (rows.size() > 1) return render_table(rows, columns) + equal;
  return fmt::format("runs {} and {} do not differ\n{}", comparison.run_ids[0], comparison.run_ids[1], equal);
}

std::string render_runs(const RunComparison& comparison, std::optional<std::size_t> columns) {
  const auto count = setting_columns(comparison).size();
  const auto rows = rows_of_runs(comparison, count);
  if (!columns || fits_table(rows, *columns)) return render_table(rows, columns);
  const auto turned = turn(rows);
  if (fits_table(turned, *columns)) return render_table(turned, columns);
  return render_some_settings(comparison, *columns, count);
}

std::string render_other_differences(const RunComparison& comparison) {
  std::vector<std::string> keys;
  for (const auto& fact : comparison.facts) {
    const bool has_column = is_setting_column(fact) || fact.key == "name" || fact.section == "results";
    if (!has_column && differs_where_known(fact)) keys.push_back(name_of_difference(fact));
  }
  return keys.empty() ? "" : join_words(keys, " and ");
}

}  // namespace ddp::cli
