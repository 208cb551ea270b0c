#include "jobenv/agent/head/rival_job.hpp"

#include <algorithm>

#include "jobenv/record/events/events.hpp"
#include "jobenv/record/fields/json_text.hpp"
#include "jobenv/record/fields/lenient_fields.hpp"
#include "jobenv/record/files/durable_file.hpp"
#include "jobenv/record/ledger/ledger.hpp"

namespace ddp::agent {
namespace {

bool has_left(int attempt, const RunFolder& folder) {
  const auto events = load_ledger(folder, RankEvents::skip);
  return events && std::ranges::any_of(*events, [attempt](const LedgerEvent& event) {
           const auto end = as<event::RunEnded>(event);
           const auto requeue = as<event::Requeued>(event);
           return (end && end->attempt == attempt) || (requeue && requeue->attempt == attempt);
         });
}

}  // namespace

std::optional<std::string> find_rival_job(const RunFolder& folder, const std::string& own) {
  const auto attempt = folder.highest_attempt();
  const auto text = attempt && *attempt >= 0 ? load_file(folder.claim(*attempt)) : tl::unexpected(Error{});
  if (!text) return std::nullopt;
  const auto claim = parse_json(*text);
  if (!claim.is_object()) return std::nullopt;
  auto job = text_of(claim, "job_id");
  if (job.empty() || job == own || has_left(*attempt, folder)) return std::nullopt;
  return job;
}

}  // namespace ddp::agent
