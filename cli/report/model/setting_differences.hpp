#pragma once

#include <string>
#include <vector>

#include "cli/report/model/report_model.hpp"

namespace ddp::cli {

/// A fact that is not the same in all runs.
struct DifferingFact {
  std::string key;
  std::vector<std::string> texts;  ///< of each run; empty: it has none
};

/// In the order of the first run, then what only later ones have. Hosts are left out.
[[nodiscard]] std::vector<DifferingFact> differing_facts(const std::vector<ReportedRun>& runs);

}  // namespace ddp::cli
