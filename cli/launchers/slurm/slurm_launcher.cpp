#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "cli/launchers/slurm/keys/slurm_options.hpp"
#include "cli/launchers/slurm/preflight/slurm_preflight.hpp"
#include "cli/launchers/slurm/query/array_limit.hpp"
#include "cli/launchers/slurm/query/slurm_config.hpp"
#include "cli/launchers/slurm/query/slurm_observer.hpp"
#include "cli/launchers/slurm/query/slurm_tools.hpp"
#include "cli/launchers/slurm/script/explain_script.hpp"
#include "cli/launchers/slurm/script/sbatch_script.hpp"
#include "cli/launchers/slurm/slurm_launcher.hpp"
#include "cli/launchers/slurm/submission/slurm_submission.hpp"
#include "cli/launchers/slurm/submission/token_lookup.hpp"
#include "cli/launchers/slurm/submission/unknown_jobs.hpp"
#include "jobenv/record/files/durable_file.hpp"

namespace ddp::cli {
namespace {

/// Submits through Slurm's own programs. What a run does is told by its ledger; Slurm is asked only about
/// runs without an end there.
class SlurmLauncher final : public Launcher, public JobQueue {
 public:
  explicit SlurmLauncher(const LauncherSeams& seams)
      : submitter_(seams.submitter), tools_(seams), observer_(tools_) {}

  [[nodiscard]] const LauncherRow& row() const override { return slurm_launcher; }
  [[nodiscard]] JobQueue* queue() override { return this; }
  [[nodiscard]] Preflight check(const LaunchRequest& request) override;
  [[nodiscard]] Expected<std::string> render_script(const LaunchRequest& request) const override;
  [[nodiscard]] std::vector<ExplainedLine> explain_script(const LaunchRequest& request,
                                                          const std::string& script) const override;
  [[nodiscard]] Expected<int> task_limit() override;
  [[nodiscard]] std::string cluster() const override { return config_ ? config_->cluster : ""; }
  [[nodiscard]] std::string job_name(const RunSpec& spec) const override {
    return options_of<SlurmOptions>(spec).job_name();
  }
  [[nodiscard]] Expected<std::string> ask_cluster() override;
  [[nodiscard]] std::optional<std::chrono::seconds> kill_wait() const override {
    return config_ ? config_->kill_wait : std::nullopt;
  }
  [[nodiscard]] Expected<Submission> submit(const LaunchRequest& request, Attachment, int lock) override {
    return submit_to_slurm(request, lock, tools_);
  }
  [[nodiscard]] std::vector<JobSighting> find_jobs(std::span<const LostJob> lost) override {
    return look_for_jobs(lost, std::chrono::seconds{0}, tools_);
  }
  [[nodiscard]] Expected<std::vector<std::vector<std::string>>> find_unknown_jobs(
      std::span<const LostJob> lost) override {
    return find_unknown_slurm_jobs(lost, tools_);
  }
  [[nodiscard]] std::vector<Observation> observe(std::span<const RunStatus> runs) override {
    return observer_.observe(runs);
  }
  [[nodiscard]] std::vector<Expected<void>> cancel(std::span<const RunStatus> runs) override;
  [[nodiscard]] Hold release(const RunStatus& run) override;

 private:
  [[nodiscard]] Expected<void> cancel_jobs(std::span<const RunStatus> runs);
  [[nodiscard]] Expected<std::vector<RunStatus>> add_twins(std::span<const RunStatus> runs) const;
  [[nodiscard]] Expected<SlurmConfig> config();

  EnvMap submitter_;
  SlurmTools tools_;
  SlurmObserver observer_;
  std::optional<SlurmConfig> config_;  ///< once it has been asked for
};

Expected<void> job_unknown(const RunStatus& run) {
  return fail(ExitCode::outcome_unknown, "the run's job id is unknown",
              "find it: squeue --me --format='%i %T %k' | grep " + run.token);
}

/// salloc starts a shell that holds nodes; a batch script, whose step has tasks, may submit what follows it.
std::optional<std::string> warn_of_allocation(const EnvMap& submitter) {
  const auto job = submitter.get("SLURM_JOB_ID");
  const bool is_shell = !submitter.has("SLURM_TASK_PID") || submitter.get("SLURM_JOB_NAME") == "interactive";
  if (!job || !is_shell) return std::nullopt;
  return "this shell holds the nodes of Slurm job " + *job +
         ": the run is a new job, and may wait for them. " +
         "To give them back, leave the shell (exit), then submit";
}

/// A submission that has been checked names its cluster; one that has not is named by its head.
Preflight SlurmLauncher::check(const LaunchRequest& request) {
  if (!request.part) {
    auto found = check_with_slurm(request, tools_);
    if (found.errors.empty()) (void)config();
    if (auto warning = warn_of_allocation(submitter_)) found.warnings.push_back(std::move(*warning));
    return found;
  }
  // Slurm judges the first array of a sweep: how many jobs an account may have depends on its tasks.
  auto asked = request;
  const auto limits = tools_.find() ? config() : Expected<SlurmConfig>(SlurmConfig{});
  const auto limit = limits ? array_limit_of(*limits) : tl::unexpected(limits.error());
  asked.part = limit ? std::optional(split_points(request.part->tasks, *limit).front()) : std::nullopt;
  auto found = check_with_slurm(asked, tools_);
  if (auto error = limits ? find_broken_job_count(request.spec, *limits) : std::nullopt)
    found.errors.insert(found.errors.begin(), std::move(*error));
  return found;
}

Expected<SlurmConfig> SlurmLauncher::config() {
  if (config_) return *config_;
  auto config = ask_slurm_config(tools_);
  if (config) config_ = *config;
  return config;
}

Expected<std::string> SlurmLauncher::ask_cluster() {
  auto answer = config();
  if (!answer) return tl::unexpected(answer.error());
  return std::move(answer->cluster);
}

Expected<int> SlurmLauncher::task_limit() {
  const auto answer = config();
  if (answer) return array_limit_of(*answer);
  return fail(ExitCode::preflight_failed,
              "Slurm did not tell its maximum array size: " + answer.error().message,
              "nothing was submitted; try again");
}

Expected<std::string> SlurmLauncher::render_script(const LaunchRequest& request) const {
  auto options = sbatch_options_of(request);
  if (!options) return tl::unexpected(options.error());
  std::string text(default_sbatch_template());
  const auto& own_template = options_of<SlurmOptions>(request.spec).template_file;
  if (own_template) {
    auto loaded = load_file(*own_template);
    if (!loaded)
      return tl::unexpected(Error{ExitCode::config_invalid, loaded.error().message, "check slurm.template"});
    text = std::move(*loaded);
  }
  return render_sbatch_script(
      {.plan = request.plan,
       .options = std::move(*options),
       .srun_options = srun_options_of(request.spec),
       .setup = all_setup(request.spec),
       .first_point = request.part ? std::optional(request.part->first_point) : std::nullopt,
       .template_text = std::move(text),
       .template_name = own_template.value_or("the built-in template")});
}

std::vector<ExplainedLine> SlurmLauncher::explain_script(const LaunchRequest& request,
                                                         const std::string& script) const {
  return cli::explain_script(script, sbatch_options_of(request).value_or(std::vector<SbatchOption>{}),
                             request.spec);
}

std::vector<Expected<void>> SlurmLauncher::cancel(std::span<const RunStatus> runs) {
  const auto cancelled = cancel_jobs(runs);
  std::vector<Expected<void>> results;
  for (const auto& run : runs) results.push_back(run.job_id.empty() ? job_unknown(run) : cancelled);
  return results;
}

/// "21" of "21_3".
std::string array_of(const std::string& job) {
  return job.substr(0, job.find('_'));
}

/// The twins of the run's job that have not ended, as the run itself writes its id: with the task of an
/// array.
std::vector<std::string> find_twins(const RunStatus& run, const JobsByToken& in_queue) {
  std::set<std::string> twins;
  for (const auto& [token, ids] : in_queue) {
    const bool all = !token.empty() && token == run.token;
    std::ranges::copy_if(ids, std::inserter(twins, twins.end()), [&](const std::string& id) {
      return all || std::ranges::find(run.twin_jobs, id, array_of) != run.twin_jobs.end();
    });
  }
  const auto end = array_of(run.job_id).size();
  twins.erase(array_of(run.job_id));
  std::vector<std::string> ids;
  for (const auto& twin : twins) ids.push_back(twin + run.job_id.substr(end));
  return ids;
}

/// Each run once for each of its jobs: a site's own sbatch may have submitted it twice.
Expected<std::vector<RunStatus>> SlurmLauncher::add_twins(std::span<const RunStatus> runs) const {
  const auto in_queue = ask_for_tokens(tools_, JobsAsked::in_queue);
  if (!in_queue) return tl::unexpected(in_queue.error());
  std::vector<RunStatus> all(runs.begin(), runs.end());
  for (const auto& run : runs) {
    if (run.job_id.empty()) continue;
    for (auto& id : find_twins(run, *in_queue)) {
      all.push_back(run);
      all.back().job_id = std::move(id);
      all.back().twin_jobs = {run.job_id};
    }
  }
  return all;
}

/// Only jobs that are surely those of the runs: an id may be another job's by now, or that of another
/// cluster.
Expected<void> SlurmLauncher::cancel_jobs(std::span<const RunStatus> runs) {
  if (std::ranges::all_of(runs, [](const RunStatus& run) { return run.job_id.empty(); })) return {};
  const auto all = add_twins(runs);
  const auto proven = all ? observer_.find_jobs(*all) : tl::unexpected(all.error());
  if (!proven) {
    const bool recorded = std::ranges::all_of(runs, &RunStatus::cancel_requested);
    return fail(ExitCode::outcome_unknown, "Slurm does not answer: " + proven.error().message,
                recorded ? "the cancel is recorded, so nothing more will start; when Slurm answers again, "
                           "repeat it for what is running"
                         : "repeat it when Slurm answers again");
  }
  const auto& ids = *proven;
  if (ids.empty()) return {};
  for (const auto& twin : std::span(*all).subspan(runs.size())) {
    if (std::ranges::find(ids, twin.job_id) != ids.end())
      tools_.note(fmt::format("job {} is of the same submission as job {}; cancelling both", twin.job_id,
                              twin.twin_jobs.front()));
  }
  // A requeue is refused after this, even one that head asks for while it is being cancelled. A job that has
  // ended refuses it.
  (void)tools_.ask({"scontrol", "update", fmt::format("JobId={}", fmt::join(ids, ",")), "Requeue=0"});
  std::vector<std::string> argv{"scancel"};
  argv.insert(argv.end(), ids.begin(), ids.end());
  const auto result = tools_.ask(std::move(argv));
  if (!result) return tl::unexpected(result.error());
  if (result->succeeded() || says_no_such_job(result->err)) return {};
  return fail(ExitCode::outcome_unknown, "scancel failed: " + trim_end(result->err),
              "try again: ddpsubmit cancel is safe to repeat");
}

Hold SlurmLauncher::release(const RunStatus& run) {
  const auto answer = tools_.ask({"scontrol", "--oneliner", "show", "job", run.job_id});
  const auto jobs = answer && answer->succeeded() ? parse_scontrol_jobs(answer->out) : JobTable{};
  const auto* job = jobs.find(run);
  if (job == nullptr || job->word == "COMPLETING") return Hold::not_yet;
  if (job->word != "PENDING" || job->reason != "BeginTime" || job->restarts == 0) return Hold::none;
  const auto updated = tools_.start_early(run.job_id);
  return updated && updated->succeeded() ? Hold::released : Hold::not_yet;
}

}  // namespace

std::unique_ptr<Launcher> make_slurm_launcher(const LauncherSeams& seams) {
  return std::make_unique<SlurmLauncher>(seams);
}

}  // namespace ddp::cli
