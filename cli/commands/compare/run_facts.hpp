#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
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

}  // namespace ddp::cli
