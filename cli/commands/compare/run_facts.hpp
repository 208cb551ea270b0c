#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/store/report/known_run.hpp"

namespace ddp::cli {

/// One thing that is known of a run and that may be different in another one.
struct RunFact {
  std::string section;  ///< settings, code, data, hosts, versions, results
  std::string key;
  std::string text;           ///< for people, on one line
  nlohmann::json value;       ///< for programs
  std::string compared = {};  ///< never printed: the value of a variable that may be a secret
};

/// What the run folder tells; the order of the sections is fixed. Values of variables whose names look like
/// those of secrets are compared, and not shown.
[[nodiscard]] std::vector<RunFact> load_run_facts(const KnownRun& run,
                                                  std::chrono::system_clock::time_point now);

struct FactDifference {
  std::string section;
  std::string key;
  std::optional<RunFact> a = {};  ///< nullopt: it has none
  std::optional<RunFact> b = {};
};

/// By section, in the order of `a`; what only `b` has stands behind it. Pure.
[[nodiscard]] std::vector<FactDifference> compare_facts(const std::vector<RunFact>& a,
                                                        const std::vector<RunFact>& b);

/// Whether a variable of this name is likely to hold a password or a key. Pure.
[[nodiscard]] bool is_name_of_secret(std::string_view variable);

}  // namespace ddp::cli
