#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "cli/launch/job_base_environment.hpp"
#include "cli/launch/launcher.hpp"
#include "cli/launch/slurm_parse.hpp"
#include "cli/script/sbatch_script.hpp"
#include "jobenv/record/durable_file.hpp"

namespace ddp::cli {
namespace {

// sbatch itself tries for two minutes when the queue is full: killed earlier, it may leave a job behind.
constexpr std::chrono::seconds kSubmitTimeout{180};
constexpr std::chrono::seconds kQuestionTimeout{30};

std::string trim_lines(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

std::vector<std::string> all_setup(const RunSpec& spec) {
  std::vector<std::string> lines = spec.slurm.setup;
  lines.insert(lines.end(), spec.environment.setup.begin(), spec.environment.setup.end());
  return lines;
}

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

/// Submits through Slurm's own programs. What a run does is told by its ledger; Slurm is asked only about
/// runs without an end there.
class SlurmLauncher final : public Launcher {
 public:
  explicit SlurmLauncher(const LauncherSeams& seams) : system_(seams.system), submitter_(seams.submitter) {}

  [[nodiscard]] std::string_view name() const override { return "slurm"; }
  [[nodiscard]] Attachment default_attachment() const override { return Attachment::detached; }
  [[nodiscard]] Expected<void> check(const LaunchRequest& request) override;
  [[nodiscard]] Expected<std::optional<std::string>> render_script(
      const LaunchRequest& request) const override;
  [[nodiscard]] Expected<Submission> submit(const LaunchRequest& request, Attachment attachment) override;
  [[nodiscard]] std::vector<Observation> observe(std::span<const RunStatus> runs) override;
  [[nodiscard]] Expected<void> cancel(const RunStatus& run) override;
  [[nodiscard]] std::optional<FileDescriptor> watch_end(const RunStatus&) override { return std::nullopt; }

 private:
  [[nodiscard]] Expected<CommandResult> ask(std::vector<std::string> argv);
  [[nodiscard]] Observation confirm_absence(const RunStatus& run);

  System system_;
  EnvMap submitter_;
};

Expected<std::vector<SbatchOption>> options_of(const LaunchRequest& request) {
  return make_sbatch_options({request.spec, request.folder, request.plan.work_dir, request.token});
}

Expected<std::vector<std::string>> sbatch_argv(const std::string& mode, const LaunchRequest& request) {
  const auto options = options_of(request);
  if (!options) return tl::unexpected(options.error());
  std::vector<std::string> argv{"sbatch", mode};
  for (const auto& option : *options) argv.push_back(render_argument(option));
  return argv;
}

/// The environment of questions to Slurm: nothing of the submitter's may change what is asked.
EnvMap question_environment(const EnvMap& submitter) {
  const auto base = job_base_environment(submitter, EnvironmentSpec{}, LauncherKind::slurm).environment;
  return slurm_tool_environment(base, submitter);
}

Expected<void> check_tools(const EnvMap& submitter) {
  constexpr std::array<const char*, 4> kTools{"sbatch", "squeue", "scontrol", "scancel"};
  for (const char* tool : kTools) {
    if (const auto found = resolve_program(tool, submitter); !found) {
      return fail(ExitCode::preflight_failed, "launcher slurm: " + found.error().message,
                  "submit from a host of the cluster, or run here with launcher=local");
    }
  }
  return {};
}

/// sbatch accepts jobs that can never start; with --test-only it refuses them.
Expected<void> SlurmLauncher::check(const LaunchRequest& request) {
  if (auto checked = check_tools(submitter_); !checked) return checked;
  auto argv = sbatch_argv("--test-only", request);
  if (!argv) return tl::unexpected(argv.error());
  argv->emplace_back("--wrap=true");
  const auto result =
      system_.runner.run({.argv = std::move(*argv),
                          .environment = slurm_tool_environment(request.environment, submitter_),
                          .timeout = kQuestionTimeout});
  if (!result) return tl::unexpected(result.error());
  if (result->succeeded()) return {};
  const std::string words = trim_lines(result->err);
  if (result->end == CommandResult::End::exited && classify_submit_failure(words) == SubmitFailure::refused) {
    return fail(ExitCode::scheduler_refused, "Slurm would not run this: " + words);
  }
  return tl::unexpected(out_of_reach(words, "nothing was submitted; try again"));
}

Expected<std::optional<std::string>> SlurmLauncher::render_script(const LaunchRequest& request) const {
  auto options = options_of(request);
  if (!options) return tl::unexpected(options.error());
  std::string text(default_sbatch_template());
  const auto& own_template = request.spec.slurm.template_file;
  if (own_template) {
    auto loaded = load_file(*own_template);
    if (!loaded)
      return tl::unexpected(Error{ExitCode::config_invalid, loaded.error().message, "check slurm.template"});
    text = std::move(*loaded);
  }
  return render_sbatch_script({.plan = request.plan,
                               .options = std::move(*options),
                               .setup = all_setup(request.spec),
                               .template_text = std::move(text),
                               .template_name = own_template.value_or("the built-in template")});
}

Expected<Submission> SlurmLauncher::submit(const LaunchRequest& request, Attachment) {
  auto argv = sbatch_argv("--parsable", request);
  if (!argv) return tl::unexpected(argv.error());
  argv->push_back(request.folder.script());
  const auto result =
      system_.runner.run({.argv = std::move(*argv),
                          .environment = slurm_tool_environment(request.environment, submitter_),
                          .timeout = kSubmitTimeout});
  if (!result) return tl::unexpected(result.error());
  if (result->end != CommandResult::End::exited) {
    return tl::unexpected(outcome_unknown("sbatch ended without an answer", request.token));
  }
  if (result->code != 0) return tl::unexpected(explain_failure(trim_lines(result->err), request));
  const auto answer = parse_sbatch_answer(result->out);
  if (!answer) {
    return tl::unexpected(
        outcome_unknown("sbatch's answer '" + trim_lines(result->out) + "' is no job id", request.token));
  }
  Submission submission;
  submission.job_id = answer->job_id;
  submission.cluster = answer->cluster;
  return submission;
}

Expected<CommandResult> SlurmLauncher::ask(std::vector<std::string> argv) {
  return system_.runner.run({.argv = std::move(argv),
                             .environment = question_environment(submitter_),
                             .timeout = kQuestionTimeout});
}

/// On Slurm only head itself tells who it is.
HeadTrace head_trace(const RunStatus& run) {
  return run.head ? HeadTrace::started : HeadTrace::none;
}

std::string job_log(const RunStatus& run) {
  return "slurm-" + run.job_id + ".out";
}

Observation observe_job(const SlurmJobState& job, const RunStatus& run) {
  auto observation = interpret(job, head_trace(run));
  if (!run.head && is_final(observation.state)) observation.log = job_log(run);
  return observation;
}

std::vector<Observation> SlurmLauncher::observe(std::span<const RunStatus> runs) {
  std::string ids;
  for (const auto& run : runs) {
    if (!run.job_id.empty()) ids += (ids.empty() ? "" : ",") + run.job_id;
  }
  std::vector<Observation> observations;
  for (const auto& run : runs) observations.push_back({run.state, run.message});
  if (ids.empty()) return observations;

  const auto result = ask(
      {"squeue", "--noheader", "--states=all", "--format=" + std::string(kSqueueFormat), "--jobs=" + ids});
  // squeue fails over one job that it does not know, and passes over it when it is one of several.
  const bool answered = result && (result->succeeded() || says_no_such_job(result->err));
  const auto jobs =
      answered && result->succeeded() ? parse_squeue(result->out) : std::map<std::string, SlurmJobState>{};
  for (std::size_t index = 0; index < runs.size(); ++index) {
    if (runs[index].job_id.empty()) continue;
    if (const auto job = jobs.find(runs[index].job_id); job != jobs.end()) {
      observations[index] = observe_job(job->second, runs[index]);
    } else if (answered) {
      observations[index] = confirm_absence(runs[index]);
    } else {
      observations[index] = {
          RunState::unknown,
          "Slurm does not answer: " + (result ? trim_lines(result->err) : result.error().message)};
    }
  }
  return observations;
}

/// A job that squeue does not show has ended long ago, if scontrol does not know it either.
Observation SlurmLauncher::confirm_absence(const RunStatus& run) {
  const auto result = ask({"scontrol", "--oneliner", "show", "job", run.job_id});
  if (!result) return {RunState::unknown, result.error().message};
  if (const auto job = result->succeeded() ? parse_scontrol_job(result->out) : std::nullopt)
    return observe_job(*job, run);
  if (!says_no_such_job(result->err))
    return {RunState::unknown, "Slurm does not answer: " + trim_lines(result->err)};
  if (run.cancel_requested) return {RunState::cancelled, run.head ? "" : "cancelled before it started"};
  if (run.head) {
    return {RunState::failed,
            fmt::format("Slurm no longer knows job {}, and ddp-agent left no end of the run", run.job_id)};
  }
  return {RunState::failed,
          fmt::format("Slurm no longer knows job {}, and ddp-agent has not started; see logs/slurm-*.out",
                      run.job_id),
          job_log(run)};
}

Expected<void> SlurmLauncher::cancel(const RunStatus& run) {
  if (run.job_id.empty()) {
    return fail(ExitCode::outcome_unknown, "the run's job id is not known",
                "look for it: squeue --me --format='%i %T %k' | grep " + run.token);
  }
  // A requeue is refused after this, even one that head asks for while it is being cancelled. A job that has
  // ended refuses it.
  (void)ask({"scontrol", "update", "JobId=" + run.job_id, "Requeue=0"});
  const auto result = ask({"scancel", run.job_id});
  if (!result) return tl::unexpected(result.error());
  if (result->succeeded() || says_no_such_job(result->err)) return {};
  return fail(ExitCode::outcome_unknown, "scancel failed: " + trim_lines(result->err),
              "try again: ddpsubmit cancel is safe to repeat");
}

}  // namespace

std::unique_ptr<Launcher> make_slurm_launcher(const LauncherSeams& seams) {
  return std::make_unique<SlurmLauncher>(seams);
}

}  // namespace ddp::cli
