#include "queue_launcher.hpp"

#include <limits>
#include <map>
#include <sstream>

#include "cli/launch/plan/launch_plan_builder.hpp"
#include "ddp/jobenv/shell_quote.hpp"

namespace ddp::cli {
namespace {

constexpr std::chrono::seconds kNoLimit{1'000'000};

class QueueLauncher final : public Launcher, public JobQueue {
 public:
  explicit QueueLauncher(const LauncherSeams& seams) : seams_(seams) {}

  [[nodiscard]] const LauncherRow& row() const override { return queue_launcher; }
  [[nodiscard]] JobQueue* queue() override { return this; }
  [[nodiscard]] Expected<std::string> render_script(const LaunchRequest& request) const override;
  [[nodiscard]] std::vector<ExplainedLine> explain_script(const LaunchRequest&,
                                                          const std::string&) const override {
    return {};
  }
  [[nodiscard]] Expected<int> task_limit() override { return std::numeric_limits<int>::max(); }
  [[nodiscard]] Expected<std::vector<std::vector<std::string>>> find_unknown_jobs(
      std::span<const LostJob> lost) override {
    return std::vector<std::vector<std::string>>(lost.size());
  }
  [[nodiscard]] Expected<Submission> submit(const LaunchRequest& request, Attachment, int lock) override;
  [[nodiscard]] std::vector<Observation> observe(std::span<const RunStatus> runs) override;
  [[nodiscard]] std::vector<Expected<void>> cancel(std::span<const RunStatus> runs) override;

 private:
  [[nodiscard]] Expected<std::string> ask(std::vector<std::string> words, const EnvMap& environment,
                                          const std::string& tool = "ddp-queue", int lock = -1) const;

  LauncherSeams seams_;
};

Expected<std::string> QueueLauncher::ask(std::vector<std::string> words, const EnvMap& environment,
                                         const std::string& tool, int lock) const {
  words.insert(words.begin(), tool);
  const auto result = seams_.system.runner.run(
      {.argv = std::move(words), .environment = environment, .inherited_descriptor = lock});
  if (!result) return tl::unexpected(result.error());
  if (result->succeeded()) return result->out;
  return fail(ExitCode::scheduler_refused, "ddp-queue: " + result->err);
}

Expected<std::string> QueueLauncher::render_script(const LaunchRequest& request) const {
  std::string script = "cd " + quote_for_shell(request.plan.work_dir) + "\nexec";
  for (const auto& word : head_command(request.plan)) script += " " + quote_for_shell(word);
  return script + "\n";
}

Expected<Submission> QueueLauncher::submit(const LaunchRequest& request, Attachment, int lock) {
  const auto& plan = request.plan;
  std::vector<std::string> words{"submit", "--output", request.folder.job_output("queue", "%j"), "--seconds",
                                 std::to_string(plan.time_limit.value_or(kNoLimit).count())};
  if (plan.time_limit && plan.stop_signal)
    words.insert(words.end(),
                 {"--signal", *plan.stop_signal + "@" + std::to_string(plan.signal_lead.count())});
  words.push_back(request.folder.script());
  const auto tool = options_of<QueueOptions>(request.spec).tool.value_or("ddp-queue");
  const auto id = ask(std::move(words), request.environment, tool, lock);
  if (!id) return tl::unexpected(id.error());
  Submission submission;
  submission.job_id = id->substr(0, id->find('\n'));
  return submission;
}

std::vector<Observation> QueueLauncher::observe(std::span<const RunStatus> runs) {
  const auto list = ask({"list"}, seams_.submitter);
  std::map<std::string, std::string> states;
  std::istringstream lines(list.value_or(""));
  for (std::string id, state; lines >> id >> state;) states[id] = state;
  std::vector<Observation> observations;
  for (const auto& run : runs) {
    const auto& state = states[run.job_id];
    auto& seen = observations.emplace_back(Observation{.state = run.state, .message = run.message});
    if (!list) seen = {.state = RunState::unknown, .message = list.error().message};
    if (state == "queued" || state == "running")
      seen = {.state = state == "queued" ? RunState::queued : RunState::running, .message = {}};
    if (state == "cancelled")
      seen = {.state = RunState::cancelled, .message = "cancelled before it started", .source = "queue"};
    if (state == "ended")
      seen = {.state = RunState::failed,
              .message = "its job has ended without a word",
              .log = "queue-" + run.job_id + ".out",
              .source = "queue"};
  }
  return observations;
}

std::vector<Expected<void>> QueueLauncher::cancel(std::span<const RunStatus> runs) {
  std::vector<Expected<void>> results;
  for (const auto& run : runs)
    results.push_back(ask({"cancel", run.job_id}, seams_.submitter).map([](const std::string&) {}));
  return results;
}

}  // namespace

std::unique_ptr<Launcher> make_queue_launcher(const LauncherSeams& seams) {
  return std::make_unique<QueueLauncher>(seams);
}

}  // namespace ddp::cli
