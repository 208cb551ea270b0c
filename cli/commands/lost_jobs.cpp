#include "cli/commands/lost_jobs.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "cli/launch/launchers.hpp"
#include "jobenv/record/ledger.hpp"
#include "jobenv/record/ledger_damage.hpp"
#include "jobenv/record/lenient_fields.hpp"
#include "jobenv/record/submission_token.hpp"

namespace ddp::cli {
namespace {

/// Whether all submissions of a folder are known: none is lost in damaged lines, and the newest one, whose
/// script is written before the ledger tells of it, is told of there.
bool knows_submissions(const RunFolder& folder, const std::optional<std::string>& token) {
  const auto ledger = load_ledger(folder, RankEvents::skip);
  if (!ledger || std::ranges::any_of(*ledger, may_hide_submission)) return false;
  return !token || std::ranges::any_of(*ledger, [&token](const LedgerEvent& event) {
    return event.event == "submit_intent" && text_of(event.fields, "token") == *token;
  });
}

Error explain_unknown_job(const std::string& job, const RunFolder& folder) {
  return {ExitCode::outcome_unknown,
          "job " + job + " is a submission of run " + folder.run_id() + " that its ledger has lost",
          "wait for it, or cancel it: scancel " + job};
}

Error explain_silence(const Error& silence, const RunFolder& folder) {
  return {ExitCode::outcome_unknown,
          "nobody can tell whether run " + folder.run_id() + " has a job: " + silence.message,
          "rerun it when Slurm answers"};
}

/// Where a ledger has lost submissions, there may be a job, although all that is left says that the run has
/// ended: its launcher is asked.
Expected<void> check_folder(const RunFolder& folder, Launcher& launcher) {
  const auto token = load_script_token(folder);
  if (knows_submissions(folder, token)) return {};
  const auto jobs = launcher.find_unknown_jobs({token.value_or(""), folder, std::nullopt});
  if (!jobs) return tl::unexpected(explain_silence(jobs.error(), folder));
  if (!jobs->empty()) return tl::unexpected(explain_unknown_job(jobs->front(), folder));
  return {};
}

}  // namespace

Expected<void> check_lost_jobs(const RunPointer& pointer, const Context& context) {
  const RunFolder folder(pointer.run_dir);
  const auto launcher = make_launcher(pointer.launcher, context.seams());
  if (!launcher) return tl::unexpected(launcher.error());
  auto checked = check_folder(folder, **launcher);
  // A point of a sweep is submitted with others, or by itself.
  return checked && folder.point() ? check_folder(folder.sweep(), **launcher) : checked;
}

}  // namespace ddp::cli
