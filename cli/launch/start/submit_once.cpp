#include "cli/launch/start/submit_once.hpp"

#include "cli/launch/start/keep_source.hpp"
#include "cli/store/submission_lock.hpp"
#include "jobenv/record/ledger/cancel_request.hpp"
#include "jobenv/record/ledger/index_list.hpp"

namespace ddp::cli {
namespace {

/// What the answer names it by: a sweep can have several submissions, a run has one at a time.
std::string token_of(const LaunchRequest& request) {
  return request.part ? request.token : std::string();
}

event::Submitted make_answer(const LaunchRequest& request, const Submission& submission, Launcher& launcher,
                             const Host& host) {
  event::Submitted answer{.launcher = std::string(launcher.row().name),
                          .host = submission.head ? submission.head->host : host.name(),
                          .token = token_of(request),
                          .job_id = submission.job_id,
                          .cluster = submission.cluster,
                          .twins = submission.twins};
  if (!submission.head) return answer;
  answer.pid = submission.head->pid;
  answer.pid_start = submission.head->start;
  answer.boot_id = submission.head->boot_id;
  return answer;
}

/// Most runs have none.
void remove_secrets(const LaunchRequest& request) {
  std::error_code ignored;
  if (!request.part) std::filesystem::remove(request.folder.secrets(), ignored);
  for (const int point : request.part ? points_of(*request.part) : std::vector<int>{})
    std::filesystem::remove(request.folder.point_folder(point).secrets(), ignored);
}

void obey_early_cancel(const LaunchRequest& request, const Submission& submission, Launcher& launcher) {
  if (submission.job_id.empty()) return;
  const auto ledger = load_ledger(request.folder);
  if (!ledger || !is_cancel_requested(*ledger, request.token)) return;
  RunStatus job;
  job.name = request.spec.name;
  job.job_id = submission.job_id;
  job.token = request.token;
  (void)launcher.cancel(std::span(&job, 1));
}

tl::unexpected<Error> explain_unrecorded(const LaunchRequest& request, const Submission& submission,
                                         const Error& error) {
  return fail(ExitCode::outcome_unknown,
              std::string(request.part ? "points were" : "the run was") + " submitted" +
                  (submission.job_id.empty() ? "" : " as job " + submission.job_id) +
                  ", but that could not be recorded: " + error.message,
              std::string(request.part ? "their" : "its") + " token is " + request.token +
                  "; do not submit again before you have looked for it");
}

}  // namespace

event::SubmitIntent make_intent(const LaunchRequest& request, std::vector<std::string> dropped,
                                Launcher& launcher, const Host& host) {
  auto* const queue = launcher.queue();
  event::SubmitIntent intent{.token = request.token,
                             .launcher = std::string(launcher.row().name),
                             .host = host.name(),
                             .user = host.user(),
                             .cluster = queue != nullptr ? queue->cluster() : std::string(),
                             .job_name = queue != nullptr ? queue->job_name(request.spec) : std::string(),
                             .dropped = std::move(dropped),
                             .version = DDP_VERSION};
  if (auto source = find_revision_of(request)) {
    intent.commit = std::move(source->commit);
    intent.branch = std::move(source->branch);
  }
  if (!request.part) return intent;
  intent.first_point = request.part->first_point;
  intent.tasks = render_index_list(request.part->tasks);
  return intent;
}

Expected<OpenSubmission> open_submission(const RunFolder& folder, FileDescriptor lock, Durability naming) {
  auto ledger = LedgerWriter::open(folder, "submit", naming);
  if (!ledger) return tl::unexpected(ledger.error());
  if (lock.is_open()) return OpenSubmission{std::move(*ledger), std::move(lock)};
  auto locked = lock_if_possible(folder);
  if (!locked) return tl::unexpected(locked.error());
  return OpenSubmission{std::move(*ledger), std::move(*locked)};
}

Expected<Submission> submit_once(const LaunchRequest& request, Attachment attachment, Launcher& launcher,
                                 const Host& host, OpenSubmission& open) {
  auto submission = launcher.submit(request, attachment, open.lock.get());
  if (!submission) {
    if (submission.error().code == ExitCode::outcome_unknown) return submission;
    (void)open.ledger.append(
        event::SubmitRefused{.token = token_of(request), .message = submission.error().message});
    remove_secrets(request);
    return submission;
  }
  // What a crash of this machine loses of the answer can be found again, by the token in the intent.
  const auto recorded =
      open.ledger.append(make_answer(request, *submission, launcher, host), Durability::visible);
  obey_early_cancel(request, *submission, launcher);
  if (!recorded) return explain_unrecorded(request, *submission, recorded.error());
  if (submission->doubt) return tl::unexpected(*submission->doubt);
  return submission;
}

}  // namespace ddp::cli
