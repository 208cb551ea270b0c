#include <algorithm>

#include "cli/doctor/check.hpp"

namespace ddp::cli {

Finding check_programs(const CheckSubject& subject);
Finding check_trainer(const CheckSubject& subject);
Finding check_run_root(const CheckSubject& subject);
Finding check_state_folder(const CheckSubject& subject);
Finding check_clock(const CheckSubject& subject);
Finding check_interfaces(const CheckSubject& subject);
Finding check_port(const CheckSubject& subject);
Finding check_gpus(const CheckSubject& subject);

std::vector<Check> all_checks() {
  std::vector<Check> checks = {
      {"programs", check_programs}, {"ddptrain", check_trainer},
      {"run_root", check_run_root}, {"state folder", check_state_folder},
      {"clock", check_clock},       {"interfaces", check_interfaces},
      {"free port", check_port},    {"GPUs", check_gpus},
  };
  for (const auto* launcher : all_launchers()) {
    if (launcher->doctor_checks == nullptr) continue;
    const auto more = launcher->doctor_checks();
    checks.insert(checks.end(), more.begin(), more.end());
  }
  return checks;
}

namespace {

bool has_failed(std::string_view check, const Findings& findings) {
  return std::ranges::any_of(findings, [check](const Finding& finding) {
    return finding.check == check && finding.verdict == Verdict::error;
  });
}

}  // namespace

Findings examine_machine(const CheckSubject& subject) {
  Findings findings;
  for (const auto& check : all_checks()) {
    auto finding = has_failed(check.needs, findings)
                       ? Finding{.verdict = Verdict::skipped, .found = std::string(check.skipped)}
                       : check.run(subject);
    finding.check = check.name;
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace ddp::cli
