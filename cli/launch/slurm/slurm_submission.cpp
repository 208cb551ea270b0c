#include "cli/launch/slurm/slurm_submission.hpp"

#include "cli/launch/slurm/sbatch_answer.hpp"

namespace ddp::cli {
namespace {

// sbatch itself tries for two minutes when the queue is full: killed earlier, it may leave a job behind.
constexpr std::chrono::seconds kSubmitTimeout{180};
constexpr std::chrono::seconds kTestTimeout{30};

Error outcome_unknown(const std::string& what, const std::string& token) {
  return {ExitCode::outcome_unknown, what + "; a job may have been queued, its comment is ddpsubmit:" + token,
          "look before you submit again: squeue --me --format='%i %T %k' | grep " + token};
}

Error out_of_reach(const std::string& words, const std::string& hint) {
  return {ExitCode::preflight_failed,
          "Slurm cannot be reached: " + (words.empty() ? std::string("no answer") : words), hint};
}

Error explain_failure(const std::string& words, const LaunchRequest& request) {
  switch (classify_submit_failure(words)) {
    case SubmitFailure::unknown:
      return outcome_unknown(words, request.token);
    case SubmitFailure::not_queued:
      return out_of_reach(words, "nothing was queued; try again: ddpsubmit rerun " + request.plan.run_id);
    case SubmitFailure::refused:
      break;
  }
  return {ExitCode::scheduler_refused, "sbatch refused the job: " + words};
}

Expected<std::vector<std::string>> sbatch_argv(const std::string& mode, const LaunchRequest& request) {
  const auto options = sbatch_options_of(request);
  if (!options) return tl::unexpected(options.error());
  std::vector<std::string> argv{"sbatch", mode};
  for (const auto& option : *options) argv.push_back(render_argument(option));
  return argv;
}

}  // namespace

Expected<std::vector<SbatchOption>> sbatch_options_of(const LaunchRequest& request) {
  return make_sbatch_options({request.spec, request.folder, request.plan.work_dir, request.token});
}

Expected<void> test_submission(const LaunchRequest& request, const SlurmTools& tools) {
  auto argv = sbatch_argv("--test-only", request);
  if (!argv) return tl::unexpected(argv.error());
  argv->emplace_back("--wrap=true");
  const auto result = tools.submit(std::move(*argv), request.environment, kTestTimeout);
  if (!result) return tl::unexpected(result.error());
  if (result->succeeded()) return {};
  const std::string words = trim_end(result->err);
  if (result->end == CommandResult::End::exited && classify_submit_failure(words) == SubmitFailure::refused) {
    return fail(ExitCode::scheduler_refused, "Slurm would not run this: " + words);
  }
  return tl::unexpected(out_of_reach(words, "nothing was submitted; try again"));
}

Expected<Submission> submit_to_slurm(const LaunchRequest& request, const SlurmTools& tools) {
  auto argv = sbatch_argv("--parsable", request);
  if (!argv) return tl::unexpected(argv.error());
  argv->push_back(request.folder.script());
  const auto result = tools.submit(std::move(*argv), request.environment, kSubmitTimeout);
  if (!result) return tl::unexpected(result.error());
  if (result->end != CommandResult::End::exited) {
    return tl::unexpected(outcome_unknown("sbatch ended without an answer", request.token));
  }
  if (result->code != 0) return tl::unexpected(explain_failure(trim_end(result->err), request));
  const auto answer = parse_sbatch_answer(result->out);
  if (!answer) {
    return tl::unexpected(
        outcome_unknown("sbatch's answer '" + trim_end(result->out) + "' is no job id", request.token));
  }
  Submission submission;
  submission.job_id = answer->job_id;
  submission.cluster = answer->cluster;
  return submission;
}

}  // namespace ddp::cli
