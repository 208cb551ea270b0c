#include "cli/store/recorded_jobs.hpp"

#include <vector>

#include "jobenv/record/ledger.hpp"

namespace ddp::cli {

std::set<std::string> load_recorded_jobs(const RunFolder& folder) {
  std::set<std::string> jobs;
  const auto ledger = load_ledger(folder);
  if (!ledger) return jobs;
  for (const auto& event : *ledger) {
    if (event.event != "submitted") continue;
    jobs.insert(event.fields.value("job_id", std::string()));
    for (const auto& twin : event.fields.value("twins", std::vector<std::string>())) jobs.insert(twin);
  }
  return jobs;
}

}  // namespace ddp::cli
