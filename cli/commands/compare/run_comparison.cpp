#include "cli/commands/compare/run_comparison.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "jobenv/config/scalar.hpp"

namespace ddp::cli {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 6> kSections{"settings", "code",     "data",
                                                    "hosts",    "versions", "results"};
constexpr std::array<std::string_view, 6> kNoMetrics{"state", "message", "step", "epoch", "attempts", "time"};

std::size_t place_of_section(const std::string& section) {
  return static_cast<std::size_t>(std::ranges::find(kSections, section) - kSections.begin());
}

/// What people read decides: times that look the same are the same.
bool is_same_fact(const std::optional<RunFact>& a, const std::optional<RunFact>& b) {
  if (!a || !b) return !a && !b;
  return a->text == b->text && a->compared == b->compared;
}

bool describes_setting(const ComparedFact& fact) {
  return fact.section == "settings" || fact.section == "data";
}

/// Whether `word` names the fact: its key, or the last part of it.
bool is_named(const RunFact& fact, std::string_view word) {
  const std::string_view key = fact.key;
  return key == word || key.substr(key.rfind('.') + 1) == word;  // npos + 1 is 0
}

/// The keys that `word` may mean; one alone where it is the whole key.
std::set<std::string> keys_named(const std::vector<ComparedRun>& runs, const std::string& word) {
  std::set<std::string> keys;
  for (const auto& run : runs) {
    for (const auto& fact : run.facts)
      if (is_named(fact, word)) keys.insert(fact.key);
  }
  return keys.contains(word) ? std::set<std::string>{word} : keys;
}

/// The metrics, and the settings that differ.
std::vector<std::string> sortable_keys(const std::vector<ComparedRun>& runs) {
  std::vector<std::string> keys;
  for (const auto& fact : compare_runs(runs).facts) {
    const bool is_result = fact.section == "results" && fact.key != "message";
    if (is_result || (describes_setting(fact) && !fact.same)) keys.push_back(fact.key);
  }
  return keys;
}

Expected<std::string> choose_key(const std::vector<ComparedRun>& runs, const std::string& word) {
  const auto keys = keys_named(runs, word);
  if (keys.size() == 1) return *keys.begin();
  if (keys.empty()) {
    return fail(ExitCode::usage, fmt::format("--sort: the runs have no setting or metric '{}'", word),
                fmt::format("one of: {}", fmt::join(sortable_keys(runs), ", ")));
  }
  return fail(ExitCode::usage, fmt::format("--sort: '{}' can be {}", word, fmt::join(keys, " or ")),
              "give one of these names");
}

/// What the rows are in order of.
struct SortValue {
  bool is_known = false;
  std::optional<double> number = {};
  std::string text = {};
};

SortValue sort_value_of(const ComparedRun& run, const std::string& key) {
  const auto fact = std::ranges::find(run.facts, key, &RunFact::key);
  if (fact == run.facts.end()) return {};
  SortValue value{.is_known = true, .text = fact->text};
  if (fact->value.is_number()) {
    value.number = fact->value.get<double>();
  } else if (const auto parsed = parse_number(fact->text)) {
    value.number = *parsed;
  }
  return value;
}

/// Numbers come before texts.
bool is_less(const SortValue& a, const SortValue& b) {
  if (a.number && b.number) return *a.number < *b.number;
  if (a.number.has_value() != b.number.has_value()) return a.number.has_value();
  return a.text < b.text;
}

json settings_of(const RunComparison& comparison, std::size_t run) {
  json settings = json::object();
  for (const auto& fact : comparison.facts)
    if (describes_setting(fact) && !fact.same && fact.of_run[run])
      settings[fact.key] = fact.of_run[run]->value;
  return settings;
}

json results_of(const RunComparison& comparison, std::size_t run) {
  json results = json::object();
  for (const auto& fact : comparison.facts)
    if (fact.section == "results" && fact.of_run[run]) results[fact.key] = fact.of_run[run]->value;
  return results;
}

json difference_to_json(const ComparedFact& fact) {
  json values = json::array();
  for (const auto& of_run : fact.of_run) values.push_back(of_run ? of_run->value : json());
  json difference = {{"section", fact.section}, {"key", fact.key}};
  if (values.size() == 2) {
    difference["a"] = values[0];
    difference["b"] = values[1];
  }
  difference["values"] = std::move(values);
  return difference;
}

}  // namespace

RunComparison compare_runs(const std::vector<ComparedRun>& runs) {
  RunComparison comparison;
  std::map<std::pair<std::string, std::string>, std::size_t> places;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    comparison.run_ids.push_back(runs[run].run_id);
    for (const auto& fact : runs[run].facts) {
      const auto [place, is_new] = places.try_emplace({fact.section, fact.key}, comparison.facts.size());
      if (is_new) {
        comparison.facts.push_back(
            {fact.section, fact.key, std::vector<std::optional<RunFact>>(runs.size()), true});
      }
      comparison.facts[place->second].of_run[run] = fact;
    }
  }
  for (auto& fact : comparison.facts) {
    fact.same = std::ranges::all_of(
        fact.of_run, [&](const auto& of_run) { return is_same_fact(of_run, fact.of_run.front()); });
  }
  std::ranges::stable_sort(comparison.facts, {},
                           [](const ComparedFact& fact) { return place_of_section(fact.section); });
  return comparison;
}

bool is_metric(const ComparedFact& fact) {
  return fact.section == "results" && std::ranges::find(kNoMetrics, fact.key) == kNoMetrics.end();
}

Expected<void> sort_runs(std::vector<ComparedRun>& runs, const std::string& key, SortDirection direction) {
  const auto chosen = choose_key(runs, key);
  if (!chosen) return tl::unexpected(chosen.error());
  std::vector<std::pair<SortValue, ComparedRun>> keyed;
  for (auto& run : runs) {
    auto value = sort_value_of(run, *chosen);
    keyed.emplace_back(std::move(value), std::move(run));
  }
  std::ranges::stable_sort(keyed, [&](const auto& a, const auto& b) {
    if (!a.first.is_known || !b.first.is_known) return a.first.is_known && !b.first.is_known;
    return direction == SortDirection::ascending ? is_less(a.first, b.first) : is_less(b.first, a.first);
  });
  std::ranges::transform(keyed, runs.begin(), [](auto& each) { return std::move(each.second); });
  return {};
}

json to_json(const RunComparison& comparison) {
  json value = {{"runs", json::array()}, {"differences", json::array()}, {"equal", json::array()}};
  for (std::size_t run = 0; run < comparison.run_ids.size(); ++run) {
    value["runs"].push_back({{"run_id", comparison.run_ids[run]},
                             {"settings", settings_of(comparison, run)},
                             {"results", results_of(comparison, run)}});
  }
  for (const auto& fact : comparison.facts) {
    if (!fact.same) value["differences"].push_back(difference_to_json(fact));
    if (fact.same && is_metric(fact))
      value["equal"].push_back({{"key", fact.key}, {"value", fact.of_run.front()->value}});
  }
  if (comparison.run_ids.size() == 2) {
    value["a"] = comparison.run_ids[0];
    value["b"] = comparison.run_ids[1];
  }
  return value;
}

}  // namespace ddp::cli
