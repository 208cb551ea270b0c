#include "cli/doctor/finding.hpp"

#include <algorithm>
#include <array>

#include "cli/output/table.hpp"

namespace ddp::cli {
namespace {

bool has_verdict(const Findings& findings, Verdict verdict) {
  return std::ranges::find(findings, verdict, &Finding::verdict) != findings.end();
}

nlohmann::json text_or_null(const std::string& text) {
  return text.empty() ? nlohmann::json() : nlohmann::json(text);
}

std::string subject_of(const Finding& finding) {
  return finding.host.empty() ? finding.check : finding.host + " " + finding.check;
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  constexpr std::array<std::string_view, 4> kWords{"ok", "warning", "error", "skipped"};
  return kWords.at(static_cast<std::size_t>(verdict));
}

Verdict worst_verdict(const Findings& findings) {
  if (has_verdict(findings, Verdict::error)) return Verdict::error;
  return has_verdict(findings, Verdict::warning) ? Verdict::warning : Verdict::ok;
}

nlohmann::json to_json(const Finding& finding) {
  return {{"check", finding.check},
          {"host", text_or_null(finding.host)},
          {"verdict", to_string(finding.verdict)},
          {"found", finding.found},
          {"advice", text_or_null(finding.advice)},
          {"details", finding.details}};
}

nlohmann::json to_json(const Findings& findings) {
  auto list = nlohmann::json::array();
  for (const auto& finding : findings) list.push_back(to_json(finding));
  return list;
}

std::string render_findings(const Findings& findings) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& finding : findings) {
    rows.push_back({std::string(to_string(finding.verdict)), subject_of(finding), finding.found});
    for (const auto& line : finding.details) rows.push_back({"", "", "  " + line});
    if (!finding.advice.empty()) rows.push_back({"", "", "help: " + finding.advice});
  }
  return render_table(rows);
}

}  // namespace ddp::cli
