#include "jobenv/record/ledger_damage.hpp"

#include <algorithm>
#include <system_error>

#include "jobenv/record/lenient_fields.hpp"
#include "jobenv/record/submission_token.hpp"

namespace ddp {
namespace {

std::string writer_of(const LedgerEvent& event) {
  return event.event == kDamagedLines ? text_of(event.fields, "writer") : std::string();
}

bool has_intent(const std::vector<LedgerEvent>& events, const std::string& token) {
  return std::ranges::any_of(events, [&token](const LedgerEvent& event) {
    return event.event == "submit_intent" && text_of(event.fields, "token") == token;
  });
}

/// Of a sweep the script has the token of its newest part alone, and does not tell its points.
bool is_sweep(const RunFolder& folder) {
  std::error_code error;
  return std::filesystem::exists(folder.sweep_record(), error);
}

std::string describe(const nlohmann::json& damage) {
  if (auto reason = text_of(damage, "reason"); !reason.empty()) return reason + "; it is passed over";
  const int more = number_of<int>(damage, "lines").value_or(1) - 1;
  const auto place = text_of(damage, "place");
  if (more == 0) return place + " cannot be read: the line is passed over";
  return place + " and " + std::to_string(more) + " more cannot be read: the lines are passed over";
}

}  // namespace

bool may_hide_submission(const LedgerEvent& event) {
  const auto writer = writer_of(event);
  return writer == "submit" || writer.starts_with("found-");
}

bool may_hide_cancel(const LedgerEvent& event) {
  return writer_of(event).starts_with("cancel-");
}

std::vector<std::string> describe_damage(const std::vector<LedgerEvent>& events) {
  std::vector<std::string> texts;
  for (const auto& event : events) {
    if (event.event == kDamagedLines) texts.push_back(describe(event.fields));
  }
  return texts;
}

void recover_submission(const RunFolder& folder, std::vector<LedgerEvent>& events) {
  const auto last = std::find_if(events.rbegin(), events.rend(), may_hide_submission);
  if (last == events.rend() || is_sweep(folder)) return;
  const auto token = load_script_token(folder).value_or(text_of(last->fields, "token"));
  if (token.empty() || has_intent(events, token)) return;
  const LedgerEvent intent{
      last->time, "submit_intent", {{"token", token}, {"launcher", "slurm"}, {"recovered", true}}};
  events.insert(std::prev(last.base()), intent);
}

}  // namespace ddp
