#include "jobenv/record/ledger/ledger_damage.hpp"

#include <algorithm>
#include <set>
#include <system_error>

#include "jobenv/record/events/events.hpp"
#include "jobenv/record/ledger/submission_token.hpp"
#include "jobenv/record/plan/plan_file.hpp"

namespace ddp {
namespace {

using Events = std::vector<LedgerEvent>;

/// Of damaged lines; empty: they are none.
std::string writer_of(const LedgerEvent& event) {
  const auto damage = as<event::DamagedLines>(event);
  return damage ? damage->writer : std::string();
}

bool is_intent(const LedgerEvent& event) {
  return is<event::SubmitIntent>(event);
}

bool has_intent(const Events& events, const std::string& token) {
  return std::ranges::any_of(
      events, [&token](const LedgerEvent& event) { return is_intent(event) && token_of(event) == token; });
}

/// Of a sweep the script has the token of its newest part alone, and does not tell its points.
bool is_sweep(const RunFolder& folder) {
  std::error_code error;
  return std::filesystem::exists(folder.sweep_record(), error);
}

bool is_answer(const LedgerEvent& event) {
  return is<event::Submitted>(event) || is<event::SubmitRefused>(event);
}

/// Whether the newest intent before `damage` has an answer that can be read, so that its job is known.
bool is_answered(Events::iterator damage, const Events& events) {
  const std::reverse_iterator behind(Events::const_iterator{damage});
  const auto intent = std::find_if(behind, events.rend(), is_intent);
  if (intent == events.rend()) return false;
  const auto token = token_of(*intent);
  const auto answers = [](const std::string& named) {
    return [named](const LedgerEvent& event) { return is_answer(event) && token_of(event) == named; };
  };
  // A run alone has answers without a token.
  return std::any_of(behind, intent, answers("")) || std::ranges::any_of(events, answers(token));
}

/// Whose submission the damaged lines may tell of.
struct HiddenLauncher {
  std::string name;
  bool has_queue = false;
};

/// The launcher of the plan, or else the name that is left of the damaged line.
HiddenLauncher find_launcher_of(const RunFolder& folder, const event::DamagedLines& damage) {
  if (const auto plan = load_plan(folder)) return {plan->launcher, !plan->traits.scheduler.empty()};
  return {.name = damage.launcher};
}

/// What tells the events of a submission whose intent is hidden in `damage` from those of the one before.
struct HiddenSubmission {
  std::string token;
  Events::iterator damage;
  std::set<std::string> jobs;     ///< its own, by answers that name its token
  std::set<std::string> earlier;  ///< jobs of others, by their answers
  bool knows_earlier;             ///< the job of the submission before is among them
};

HiddenSubmission know_hidden(const std::string& token, Events::iterator damage, const Events& events) {
  HiddenSubmission hidden{token, damage, {}, {}, is_answered(damage, events)};
  for (Events::const_iterator event = events.begin(); event != events.end(); ++event) {
    const auto answer = as<event::Submitted>(*event);
    if (!answer) continue;
    if (answer->token == token) hidden.jobs.merge(answer->jobs());
    if (answer->token.empty() ? event < damage : answer->token != token) hidden.earlier.merge(answer->jobs());
  }
  return hidden;
}

bool is_own(Events::iterator event, const HiddenSubmission& hidden) {
  const auto named = token_of(*event);
  if (!named.empty()) return named == hidden.token;
  if (is_answer(*event)) return event > hidden.damage;
  const auto job = job_of(*event);
  if (job.empty()) return false;
  return hidden.jobs.contains(job) || (hidden.knows_earlier && !hidden.earlier.contains(job));
}

/// The first event that can be of the hidden submission: it is not before what the damage comes after, and
/// behind the newest intent before the damage.
Events::iterator find_earliest(Events::iterator damage, Events& events) {
  const auto after = as<event::DamagedLines>(*damage)->after.value_or(LedgerEvent{}.time);
  const auto intent = std::find_if(std::reverse_iterator(damage), events.rend(), is_intent);
  return std::find_if(intent.base(), damage,
                      [after](const LedgerEvent& event) { return event.time >= after; });
}

/// Moves the damage, and what may be a cancel and does not say of what, to the end of the events before
/// `own`, and returns where they begin. The time of the damage is that of its file, by the clock of a file
/// server: it may have been written before, and that clock may be behind.
Events::iterator move_damage(const HiddenSubmission& hidden, Events::iterator own, Events& events) {
  auto damage = hidden.damage;
  if (own <= damage) {
    std::rotate(own, damage, std::next(damage));
    damage = own++;
  }
  const auto moved = std::stable_partition(find_earliest(damage, events), own, [](const LedgerEvent& event) {
    const bool is_cancel = may_hide_cancel(event) && token_of(event).empty();
    return !may_hide_submission(event) && !is_cancel;
  });
  for (auto event = moved; event != own; ++event) {
    if (event != events.begin()) event->time = std::max(event->time, std::prev(event)->time);
    if (own != events.end()) event->time = std::min(event->time, own->time);
  }
  return moved;
}

std::string describe(const event::DamagedLines& damage) {
  if (!damage.reason.empty()) return damage.reason + "; it is ignored";
  const int more = damage.lines - 1;
  if (more == 0) return damage.place + " cannot be read: the line is ignored";
  return damage.place + " and " + std::to_string(more) + " more cannot be read: the lines are ignored";
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
    if (const auto damage = as<event::DamagedLines>(event)) texts.push_back(describe(*damage));
  }
  return texts;
}

void recover_submission(const RunFolder& folder, Events& events) {
  const auto last = std::find_if(events.rbegin(), events.rend(), may_hide_submission);
  if (last == events.rend() || is_sweep(folder)) return;
  const auto lines = as<event::DamagedLines>(*last);
  const auto launcher = find_launcher_of(folder, *lines);
  const auto script_token = load_script_token(folder);  // only a queue has a script
  if (!script_token && !launcher.has_queue) return;     // nobody can be asked for the job of a token
  const auto token = script_token.value_or(lines->token);
  if (token.empty() || has_intent(events, token)) return;
  const auto damage = std::prev(last.base());
  if (std::find_if(damage, events.end(), is_intent) != events.end()) return;
  const auto hidden = know_hidden(token, damage, events);
  auto own = find_earliest(damage, events);
  while (own != events.end() && (own == damage || !is_own(own, hidden))) ++own;
  const auto moved = move_damage(hidden, own, events);
  events.insert(moved, make_ledger_event(moved->time,
                                         event::SubmitIntent{
                                             .token = token, .launcher = launcher.name, .recovered = true}));
}

}  // namespace ddp
