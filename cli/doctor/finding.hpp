#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace ddp::cli {

enum class Verdict { ok, warning, error, skipped };
[[nodiscard]] std::string_view to_string(Verdict verdict);

/// What one check has found.
struct Finding {
  Verdict verdict = Verdict::ok;
  std::string found = {};                 ///< in one line
  std::string advice = {};                ///< what to do about it; empty: nothing
  std::vector<std::string> details = {};  ///< further lines, as they are
  std::string check = {};                 ///< its name
  std::string host = {};                  ///< a node of the job; empty: this machine, or no single one

  bool operator==(const Finding&) const = default;
};
using Findings = std::vector<Finding>;

/// error when one of them is, else warning when one of them is, else ok.
[[nodiscard]] Verdict worst_verdict(const Findings& findings);

[[nodiscard]] nlohmann::json to_json(const Finding& finding);
[[nodiscard]] nlohmann::json to_json(const Findings& findings);

/// A row a finding, with its details and its advice under it.
[[nodiscard]] std::string render_findings(const Findings& findings);

}  // namespace ddp::cli
