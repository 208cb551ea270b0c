#include "jobenv/record/ledger_damage.hpp"

#include <algorithm>
#include <set>
#include <system_error>

#include "jobenv/record/lenient_fields.hpp"
#include "jobenv/record/submission_token.hpp"

namespace ddp {
namespace {

using Events = std::vector<LedgerEvent>;

std::string writer_of(const LedgerEvent& event) {
  return event.event == kDamagedLines ? text_of(event.fields, "writer") : std::string();
}

bool is_intent(const LedgerEvent& event) {
  return event.event == "submit_intent";
}

bool has_intent(const Events& events, const std::string& token) {
  return std::ranges::any_of(events, [&token](const LedgerEvent& event) {
    return is_intent(event) && text_of(event.fields, "token") == token;
  });
}

/// Of a sweep the script has the token of its newest part alone, and does not tell its points.
bool is_sweep(const RunFolder& folder) {
  std::error_code error;
  return std::filesystem::exists(folder.sweep_record(), error);
}

bool is_answer(const LedgerEvent& event) {
  return event.event == "submitted" || event.event == "submit_refused";
}

/// Whether the newest intent before `damage` has an answer that can be read, so that its job is known.
bool is_answered(Events::iterator damage, const Events& events) {
  const std::reverse_iterator behind(Events::const_iterator{damage});
  const auto intent = std::find_if(behind, events.rend(), is_intent);
  if (intent == events.rend()) return false;
  const auto token = text_of(intent->fields, "token");
  const auto answers_by_token = [&token](const LedgerEvent& event) {
    return is_answer(event) && text_of(event.fields, "token") == token;
  };
  return std::any_of(behind, intent, is_answer) || std::ranges::any_of(events, answers_by_token);
}

/// The jobs of the submissions before that of `token`, whose intent `damage` hides.
std::set<std::string> earlier_jobs(Events::iterator damage, const std::string& token, const Events& events) {
  std::set<std::string> jobs;
  for (Events::const_iterator event = events.begin(); event != events.end(); ++event) {
    const auto named = text_of(event->fields, "token");
    const bool is_earlier = event < damage || (!named.empty() && named != token);
    if (auto job = text_of(event->fields, "job_id"); is_earlier && !job.empty()) jobs.insert(std::move(job));
  }
  return jobs;
}

/// The first event behind `damage` that is surely of the submission of `token`. What stands between them is
/// of those before: the time of the damage is that of its file, by the clock of a file server, which may be
/// behind.
Events::iterator find_own_event(Events::iterator damage, const std::string& token, Events& events) {
  const bool knows_earlier = is_answered(damage, events);
  const auto earlier = earlier_jobs(damage, token, events);
  return std::find_if(std::next(damage), events.end(), [&](const LedgerEvent& event) {
    const auto named = text_of(event.fields, "token");
    if (!named.empty()) return named == token;
    const auto job = text_of(event.fields, "job_id");
    return is_answer(event) || (knows_earlier && !job.empty() && !earlier.contains(job));
  });
}

/// Moves `damage`, and what may be a cancel behind it, to the end of the events before `own`. Where it stands
/// then.
Events::iterator move_damage(Events::iterator damage, Events::iterator own, Events& events) {
  const auto moved = std::stable_partition(damage, own, [](const LedgerEvent& event) {
    return !may_hide_submission(event) && !may_hide_cancel(event);
  });
  for (auto event = moved; event != own; ++event) {
    if (event != events.begin()) event->time = std::max(event->time, std::prev(event)->time);
  }
  return moved;
}

std::string describe(const nlohmann::json& damage) {
  if (auto reason = text_of(damage, "reason"); !reason.empty()) return reason + "; it is ignored";
  const int more = number_of<int>(damage, "lines").value_or(1) - 1;
  const auto place = text_of(damage, "place");
  if (more == 0) return place + " cannot be read: the line is ignored";
  return place + " and " + std::to_string(more) + " more cannot be read: the lines are ignored";
}

}  // namespace

bool may_hide_submission(const LedgerEvent& event) {
  const auto writer = writer_of(event);
  return writer == "submit" || writer.starts_with("found-");
}

bool may_hide_cancel(const LedgerEvent& event) {
  return writer_of(event).starts_with("cancel-");
}

bool may_hide_word_of_head(const LedgerEvent& event) {
  return writer_of(event).starts_with("head-");
}

std::vector<std::string> describe_damage(const Events& events) {
  std::vector<std::string> texts;
  for (const auto& event : events) {
    if (event.event == kDamagedLines) texts.push_back(describe(event.fields));
  }
  return texts;
}

void recover_submission(const RunFolder& folder, Events& events) {
  const auto last = std::find_if(events.rbegin(), events.rend(), may_hide_submission);
  if (last == events.rend() || is_sweep(folder)) return;
  const auto token = load_script_token(folder).value_or(text_of(last->fields, "token"));
  if (token.empty() || has_intent(events, token)) return;
  const auto damage = std::prev(last.base());
  if (std::find_if(damage, events.end(), is_intent) != events.end()) return;
  const auto moved = move_damage(damage, find_own_event(damage, token, events), events);
  events.insert(
      moved, {moved->time, "submit_intent", {{"token", token}, {"launcher", "slurm"}, {"recovered", true}}});
}

}  // namespace ddp
