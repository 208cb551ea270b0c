#include "cli/launchers/slurm/submission/slurm_submission.hpp"

#include <span>

#include "cli/launchers/slurm/query/slurm_config.hpp"
#include "cli/launchers/slurm/submission/sbatch_answer.hpp"
#include "cli/launchers/slurm/submission/token_lookup.hpp"
#include "jobenv/record/ledger/index_list.hpp"
#include "jobenv/record/ledger/submission_token.hpp"

namespace ddp::cli {
namespace {

// sbatch itself tries for two minutes when the queue is full: killed earlier, it may leave a job behind.
constexpr std::chrono::seconds kSubmitTimeout{180};

constexpr int kMostCalls = 2;

Error outcome_unknown(const std::string& what, const LaunchRequest& request) {
  return {ExitCode::outcome_unknown,
          what + "; a job may have been queued, its comment is " + comment_of_token(request.token),
          "do not submit again: ddpsubmit status " + request.plan.run_id +
              " looks for it; by hand: squeue --me --states=all --format='%i %T %k' | grep " + request.token};
}

Error out_of_reach(const std::string& words, const std::string& hint) {
  return {ExitCode::preflight_failed, "Slurm cannot be reached: " + explain_failure(words), hint};
}

Error not_queued(const std::string& words, const LaunchRequest& request) {
  return out_of_reach(words, "nothing was queued; try again: ddpsubmit rerun " + request.plan.run_id);
}

Error refused(const std::string& words, const LaunchRequest& request) {
  if (says_queue_stayed_full(words)) {
    return {ExitCode::scheduler_refused,
            "the queue of the cluster is full (MaxJobCount), and stayed full while sbatch kept trying",
            "nothing was queued; try again later: ddpsubmit rerun " + request.plan.run_id};
  }
  return {ExitCode::scheduler_refused, "sbatch refused the job: " + words};
}

/// How one call of sbatch ended.
struct SbatchEnd {
  std::optional<SbatchAnswer> answer;
  SubmitFailure failure = SubmitFailure::refused;  ///< without an answer
  std::string words;                               ///< sbatch's, or what is to be said in their place
  bool accepted = false;                           ///< sbatch reported success in words that name no job
};

SbatchEnd explain_end(const CommandResult& result) {
  const auto words = trim_end(result.err);
  if (result.end == CommandResult::End::timed_out)
    return {std::nullopt, SubmitFailure::lost, "sbatch did not answer in time and was ended"};
  if (result.end == CommandResult::End::signalled)
    return {std::nullopt, SubmitFailure::lost, "sbatch was killed before it answered"};
  // What has failed afterwards may be a plugin, or the site's own sbatch around that of Slurm.
  if (auto answer = parse_sbatch_answer(result.out))
    return {std::move(answer), {}, result.code != 0 ? words : ""};
  if (result.code != 0) return {std::nullopt, classify_submit_failure(result.code, words), words};
  return {std::nullopt, SubmitFailure::lost, "sbatch's answer '" + trim_end(result.out) + "' is not a job id",
          true};
}

Submission submission_of(SbatchAnswer answer) {
  Submission submission;
  submission.job_id = std::move(answer.job_id);
  submission.cluster = std::move(answer.cluster);
  return submission;
}

/// One run's way into the queue: sbatch, and what follows when it gives no answer.
class SlurmSubmission {
 public:
  SlurmSubmission(const LaunchRequest& request, int lock, const SlurmTools& tools)
      : request_(request),
        lock_(lock),
        tools_(tools),
        lost_{request.token, request.folder, tools.clock().now()} {}

  Expected<Submission> run() {
    for (int call = 1;; ++call) {
      auto end = call_sbatch();
      if (!end) return tl::unexpected(end.error());
      if (end->answer) say_failure(*end);
      if (end->answer) return call == 1 ? submission_of(std::move(*end->answer)) : keep_one(*end->answer);
      auto found = look_for_job(*end);
      if (!found) return tl::unexpected(found.error());
      if (*found) return std::move(**found);
      if (call == kMostCalls) return tl::unexpected(outcome_unknown(end->words, request_));
      tools_.note("Slurm has no job of this submission: submitting it again");
    }
  }

 private:
  using Found = std::optional<Submission>;

  Expected<SbatchEnd> call_sbatch() const {
    auto argv = sbatch_argv("--parsable", request_);
    if (!argv) return tl::unexpected(argv.error());
    argv->push_back(request_.folder.script());
    auto environment = request_.environment;
    environment.set("DDPSUBMIT_TOKEN", request_.token);
    const auto result = tools_.submit({.argv = std::move(*argv),
                                       .environment = std::move(environment),
                                       .timeout = kSubmitTimeout,
                                       .on_error_line = [this](std::string_view line) { say_throttle(line); },
                                       .end_of_caller = EndOfCaller::spares,
                                       .inherited_descriptor = lock_});
    if (!result) return fail(ExitCode::preflight_failed, result.error().message, result.error().hint);
    return explain_end(*result);
  }

  std::chrono::seconds patience() const {
    return std::chrono::ceil<std::chrono::seconds>(request_.plan.waits.job_search);
  }

  void say_throttle(std::string_view line) const {
    if (!says_queue_is_full(line)) return;
    tools_.note("the queue of the cluster is full: sbatch keeps trying for up to two minutes");
  }

  /// The job of a call without an answer; nullopt when there is surely none and it may be submitted again.
  Expected<Found> look_for_job(const SbatchEnd& end) const {
    if (end.failure == SubmitFailure::not_queued) return tl::unexpected(not_queued(end.words, request_));
    if (end.failure == SubmitFailure::lost)
      tools_.note(end.words + "; looking for the job by its token " + request_.token);
    const auto sighting = look_for_jobs(std::span(&lost_, 1), patience(), tools_).front();
    switch (sighting.presence) {
      case JobPresence::found:
        say_found(end, sighting.job_id);
        return Found(with_cluster(submission_of({.job_id = sighting.job_id, .cluster = {}})));
      case JobPresence::unknown:
        return tl::unexpected(outcome_unknown(end.words, request_));
      case JobPresence::absent:
        break;
    }
    if (end.failure == SubmitFailure::refused) return tl::unexpected(refused(end.words, request_));
    if (end.accepted) return tl::unexpected(outcome_unknown(end.words, request_));
    return Found();
  }

  void say_failure(const SbatchEnd& end) const {
    if (!end.words.empty())
      tools_.note("sbatch has queued job " + end.answer->job_id + ", but failed after that: " + end.words);
  }

  void say_found(const SbatchEnd& end, const std::string& job_id) const {
    const bool lost = end.failure == SubmitFailure::lost;
    tools_.note((lost ? "the answer of sbatch was lost" : "sbatch failed, but queued the job: " + end.words) +
                "; job " + job_id + " belongs to this submission");
  }

  /// After a second call: should the request of the first one have come through after all, the younger job
  /// goes.
  Submission keep_one(const SbatchAnswer& answer) const {
    auto sighting = look_for_jobs(std::span(&lost_, 1), patience(), tools_).front();
    if (sighting.presence == JobPresence::absent)
      return submission_of(answer);  // a site writes its own comments, and hides where logs go
    if (sighting.presence == JobPresence::unknown) {
      auto submission = submission_of(answer);
      submission.doubt =
          outcome_unknown("job " + answer.job_id + " is queued, and an earlier call of sbatch " +
                              "was lost: " + sighting.words,
                          request_);
      return submission;
    }
    auto submission = submission_of({.job_id = sighting.job_id, .cluster = answer.cluster});
    submission.twins = std::move(sighting.twins);
    cancel_twins(submission);
    return with_cluster(std::move(submission));
  }

  /// The one that has shown the job: that another one knows nothing of it then proves nothing.
  Submission with_cluster(Submission submission) const {
    if (submission.cluster.empty())
      submission.cluster = ask_slurm_config(tools_).value_or(SlurmConfig{}).cluster;
    return submission;
  }

  void cancel_twins(Submission& submission) const {
    for (const auto& id : submission.twins) {
      const auto result = tools_.ask({"scancel", id});
      if (result && result->succeeded()) continue;
      submission.doubt = Error{ExitCode::outcome_unknown,
                               "two jobs were queued, " + submission.job_id + " and " + id +
                                   ", and the second one could not be " +
                                   "cancelled: " + (result ? trim_end(result->err) : result.error().message),
                               "the run is job " + submission.job_id + "; end the other one: scancel " + id};
    }
  }

  const LaunchRequest& request_;
  int lock_;
  const SlurmTools& tools_;
  LostJob lost_;  ///< should an answer be lost
};

std::optional<SbatchArray> array_of(const std::optional<SweepPart>& part) {
  if (!part) return std::nullopt;
  return SbatchArray{render_index_list(part->tasks), part->at_once, part->after};
}

}  // namespace

Expected<std::vector<SbatchOption>> sbatch_options_of(const LaunchRequest& request) {
  return make_sbatch_options(
      {request.spec, request.folder, request.plan.work_dir, request.token, array_of(request.part)});
}

Expected<std::vector<std::string>> sbatch_argv(const std::string& mode, const LaunchRequest& request) {
  const auto options = sbatch_options_of(request);
  if (!options) return tl::unexpected(options.error());
  std::vector<std::string> argv{"sbatch", mode};
  for (const auto& option : *options) argv.push_back(render_argument(option));
  return argv;
}

Expected<Submission> submit_to_slurm(const LaunchRequest& request, int lock, const SlurmTools& tools) {
  return SlurmSubmission(request, lock, tools).run();
}

}  // namespace ddp::cli
