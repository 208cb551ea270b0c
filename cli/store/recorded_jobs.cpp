#include "cli/store/recorded_jobs.hpp"

#include "jobenv/record/ledger.hpp"

namespace ddp::cli {
namespace {

void add_text(const nlohmann::json& value, std::set<std::string>& jobs) {
  if (value.is_string()) jobs.insert(value.get<std::string>());
}

}  // namespace

std::set<std::string> load_recorded_jobs(const RunFolder& folder) {
  std::set<std::string> jobs;
  std::set<std::string> newest;  // of the heads behind the intent that was read last
  const auto ledger = load_ledger(folder, RankEvents::skip);
  if (!ledger) return jobs;
  for (const auto& event : *ledger) {
    if (event.event == "submit_intent") jobs.merge(newest);
    if (event.event == "head_started") add_text(event.fields.value("job_id", nlohmann::json()), newest);
    if (event.event != "submitted") continue;
    add_text(event.fields.value("job_id", nlohmann::json()), jobs);
    for (const auto& twin : event.fields.value("twins", nlohmann::json::array())) add_text(twin, jobs);
  }
  return jobs;
}

}  // namespace ddp::cli
