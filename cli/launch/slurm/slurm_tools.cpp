#include "cli/launch/slurm/slurm_tools.hpp"

#include <array>

#include "cli/launch/job_base_environment.hpp"

namespace ddp::cli {
namespace {

constexpr std::chrono::seconds kQuestionTimeout{30};

/// The environment of questions to Slurm: nothing of the submitter's may change what is asked.
EnvMap question_environment(const EnvMap& submitter) {
  const auto base = job_base_environment(submitter, EnvironmentSpec{}, LauncherKind::slurm).environment;
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
  return system_.runner.run({.argv = std::move(argv),
                             .environment = question_environment(submitter_),
                             .timeout = kQuestionTimeout});
}

Expected<CommandResult> SlurmTools::submit(CommandRequest request) const {
  request.environment = slurm_tool_environment(request.environment, submitter_);
  return system_.runner.run(request);
}

std::string trim_end(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

}  // namespace ddp::cli
