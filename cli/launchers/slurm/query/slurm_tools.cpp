#include "cli/launchers/slurm/query/slurm_tools.hpp"

#include <algorithm>
#include <array>

#include "cli/launch/plan/job_base_environment.hpp"
#include "cli/launchers/slurm/keys/slurm_options.hpp"
#include "cli/launchers/slurm/query/tool_environment.hpp"
#include "jobenv/record/scontrol_job.hpp"
#include "jobenv/record/slurm_words.hpp"

namespace ddp::cli {
namespace {

constexpr std::chrono::seconds kQuestionTimeout{30};
constexpr std::chrono::seconds kBriefTimeout{2};

// Who waits for the controller to come back asks less often.
constexpr std::chrono::seconds kMoment{1};

/// sacct asks somebody else.
bool is_for_controller(const std::vector<std::string>& argv) {
  return argv.front() == "squeue" || argv.front() == "scontrol" || argv.front() == "sinfo" ||
         argv.front() == "scancel";
}

/// The environment of questions to Slurm: nothing of the submitter's may change what is asked.
EnvMap question_environment(const EnvMap& submitter) {
  const auto base =
      job_base_environment(submitter, EnvironmentSpec{}, *find_launcher(SlurmOptions::kLauncher)).environment;
  auto environment = slurm_tool_environment(base, submitter);
  environment.set("SLURM_TIME_FORMAT", "%s");  // seconds since 1970, whatever the time zone
  environment.set("SLURM_BITSTR_LEN", "0");    // the tasks of an array in full
  return environment;
}

}  // namespace

Expected<void> SlurmTools::find() const {
  constexpr std::array<const char*, 5> kTools{"sbatch", "squeue", "sinfo", "scontrol", "scancel"};
  for (const char* tool : kTools) {
    if (const auto found = resolve_program(tool, submitter_); !found) {
      return fail(ExitCode::preflight_failed, "launcher slurm: " + found.error().message,
                  "submit from a host of the cluster, or run here with launcher=local");
    }
  }
  return {};
}

Expected<CommandResult> SlurmTools::ask(std::vector<std::string> argv) const {
  return ask_within(kQuestionTimeout, std::move(argv));
}

Expected<CommandResult> SlurmTools::ask_briefly(std::vector<std::string> argv) const {
  return ask_within(kBriefTimeout, std::move(argv));
}

Expected<CommandResult> SlurmTools::ask_within(std::chrono::seconds timeout,
                                               std::vector<std::string> argv) const {
  const bool for_controller = is_for_controller(argv);
  auto& silence = *silence_;
  if (for_controller && silence.since && system_.clock.steady() - *silence.since < kMoment)
    return silence.result;
  auto result = system_.runner.run(
      {.argv = std::move(argv), .environment = question_environment(submitter_), .timeout = timeout});
  if (!for_controller || !result) return result;
  silence.since.reset();
  if (is_silence(*result)) silence = {*result, system_.clock.steady()};
  return result;
}

Expected<CommandResult> SlurmTools::start_early(const std::string& job) const {
  return ask(render_early_start(job));
}

Expected<CommandResult> SlurmTools::submit(CommandRequest request) const {
  request.environment = slurm_tool_environment(request.environment, submitter_);
  return system_.runner.run(request);
}

bool is_silence(const CommandResult& result) {
  if (result.end == CommandResult::End::timed_out) return true;
  return !result.succeeded() && slurm_says(SlurmSays::silence, result.err);
}

bool says_no_configuration(std::string_view slurm_stderr) {
  return slurm_says(SlurmSays::no_configuration, slurm_stderr);
}

std::string explain_failure(const std::string& slurm_stderr) {
  auto words = trim_end(slurm_stderr);
  if (!says_no_configuration(words)) return words.empty() ? "no answer" : words;
  return "this host has Slurm's programs, but no slurm.conf that they can read (" +
         words.substr(words.rfind('\n') + 1) + ")";
}

std::string explain_failure(const Expected<CommandResult>& result) {
  if (!result) return result.error().message;
  if (result->end == CommandResult::End::timed_out && result->err.empty()) return "no answer in time";
  return explain_failure(result->err);
}

std::string trim_end(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

}  // namespace ddp::cli
