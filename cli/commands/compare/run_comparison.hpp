#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands/compare/run_facts.hpp"

namespace ddp::cli {

/// A run, and what is known of it.
struct ComparedRun {
  std::string run_id;
  std::vector<RunFact> facts;
};

/// What several runs tell under one key.
struct ComparedFact {
  std::string section;
  std::string key;
  std::vector<std::optional<RunFact>> of_run;  ///< one for each run; nullopt: it has none
  bool same = true;                            ///< in all runs
};

struct RunComparison {
  std::vector<std::string> run_ids;
  std::vector<ComparedFact> facts;  ///< by section; the keys of the first run come first
};

/// All facts that any of the runs tells, each with its value in every run. Reads no file.
[[nodiscard]] RunComparison compare_runs(const std::vector<ComparedRun>& runs);

/// Whether it is a number that a training or a program has logged, such as its loss.
[[nodiscard]] bool is_metric(const ComparedFact& fact);

enum class SortDirection { ascending, descending };

/// By the metric or the setting `key`, or the last part of its name; runs that have none come last. A usage
/// error when no fact, or more than one, is named so.
[[nodiscard]] Expected<void> sort_runs(std::vector<ComparedRun>& runs, const std::string& key,
                                       SortDirection direction);

/// run_id, settings and results of each run; `differences` with the values of all runs, of two runs also as
/// `a` and `b`; `equal`: the metrics that are the same in all runs.
[[nodiscard]] nlohmann::json to_json(const RunComparison& comparison);

}  // namespace ddp::cli
