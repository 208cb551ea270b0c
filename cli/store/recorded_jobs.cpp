#include "cli/store/recorded_jobs.hpp"

#include <vector>

#include "jobenv/record/ledger/ledger.hpp"
#include "jobenv/record/ledger/ledger_damage.hpp"

namespace ddp::cli {
namespace {

bool is_readable_intent(const LedgerEvent& event) {
  const auto intent = as<event::SubmitIntent>(event);
  return intent && !intent->recovered;
}

std::set<std::string> tokens_of_intents(const std::vector<LedgerEvent>& ledger) {
  std::set<std::string> tokens;
  for (const auto& event : ledger) {
    if (is_readable_intent(event)) tokens.insert(as<event::SubmitIntent>(event)->token);
  }
  return tokens;
}

}  // namespace

std::set<std::string> load_recorded_jobs(const RunFolder& folder) {
  std::set<std::string> jobs;
  std::set<std::string> newest;  // of the heads behind the intent that was read last
  const auto ledger = load_ledger(folder, RankEvents::skip);
  if (!ledger) return jobs;
  for (const auto& event : *ledger) {
    if (is<event::SubmitIntent>(event)) jobs.merge(newest);
    if (const auto head = as<event::HeadStarted>(event); head && !head->job_id.empty())
      newest.insert(head->job_id);
    if (const auto answer = as<event::Submitted>(event)) jobs.merge(answer->jobs());
  }
  return jobs;
}

std::set<std::string> load_answered_jobs(const RunFolder& folder) {
  std::set<std::string> jobs;
  const auto ledger = load_ledger(folder, RankEvents::skip);
  if (!ledger) return jobs;
  const auto tokens = tokens_of_intents(*ledger);
  bool follows_intent = false;  // with nothing that is lost between them
  for (const auto& event : *ledger) {
    if (is<event::SubmitIntent>(event)) follows_intent = is_readable_intent(event);
    if (may_hide_submission(event)) follows_intent = false;
    const auto answer = as<event::Submitted>(event);
    if (!answer) continue;
    if (answer->token.empty() ? follows_intent : tokens.contains(answer->token)) jobs.merge(answer->jobs());
  }
  return jobs;
}

}  // namespace ddp::cli
