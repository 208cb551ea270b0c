#include "cli/store/recorded_jobs.hpp"

#include <vector>

#include "jobenv/record/ledger/ledger.hpp"
#include "jobenv/record/ledger/ledger_damage.hpp"
#include "jobenv/record/lenient_fields.hpp"

namespace ddp::cli {
namespace {

void add_text(const nlohmann::json& value, std::set<std::string>& jobs) {
  if (value.is_string()) jobs.insert(value.get<std::string>());
}

void add_answer(const LedgerEvent& submitted, std::set<std::string>& jobs) {
  add_text(submitted.fields.value("job_id", nlohmann::json()), jobs);
  for (const auto& twin : submitted.fields.value("twins", nlohmann::json::array())) add_text(twin, jobs);
}

bool is_readable_intent(const LedgerEvent& event) {
  return event.event == "submit_intent" && !event.fields.contains("recovered");
}

std::set<std::string> tokens_of_intents(const std::vector<LedgerEvent>& ledger) {
  std::set<std::string> tokens;
  for (const auto& event : ledger) {
    if (is_readable_intent(event)) tokens.insert(text_of(event.fields, "token"));
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
    if (event.event == "submit_intent") jobs.merge(newest);
    if (event.event == "head_started") add_text(event.fields.value("job_id", nlohmann::json()), newest);
    if (event.event == "submitted") add_answer(event, jobs);
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
    if (event.event == "submit_intent") follows_intent = is_readable_intent(event);
    if (may_hide_submission(event)) follows_intent = false;
    if (event.event != "submitted") continue;
    const auto token = text_of(event.fields, "token");
    if (token.empty() ? follows_intent : tokens.contains(token)) add_answer(event, jobs);
  }
  return jobs;
}

}  // namespace ddp::cli
