#include <fmt/format.h>

#include "cli/doctor/check.hpp"
#include "cli/launch/plan/install_line.hpp"
#include "cli/launch/plan/libtorch.hpp"
#include "cli/launch/plan/program_libraries.hpp"
#include "cli/launch/plan/programs.hpp"
#include "cli/launch/preflight/libtorch_check.hpp"
#include "jobenv/config/suggestion.hpp"
#include "jobenv/record/program_path.hpp"

namespace ddp::cli {
namespace {

constexpr std::chrono::seconds kPatience{30};

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

/// Why a program that was found gave no answer.
std::string describe_failure(const CommandResult& result) {
  auto words = first_line(result.err);
  if (!words.empty()) return words;
  return result.end == CommandResult::End::timed_out ? "no answer" : fmt::format("exit code {}", result.code);
}

/// The first line that `program --version` prints, or why there is none.
Expected<std::string> ask_version(const CheckSubject& subject, const std::string& program,
                                  const EnvMap& environment) {
  const auto result = subject.seams.system.runner.run(
      {.argv = {program, "--version"}, .environment = environment, .timeout = kPatience});
  if (!result) return tl::unexpected(result.error());
  if (result->succeeded()) return first_line(result->out);
  return fail(ExitCode::preflight_failed, program + ": " + describe_failure(*result));
}

}  // namespace

Finding check_programs(const CheckSubject& subject) {
  const auto agent = ask_version(subject, subject.own_folder / "ddp-agent", subject.seams.submitter);
  const std::string own = "ddpsubmit " DDP_VERSION;
  if (!agent) {
    return {.verdict = Verdict::error,
            .found = own + "; " + agent.error().message,
            .advice = "ddp-agent must be in the folder of ddpsubmit: install or build both"};
  }
  if (*agent == "ddp-agent " DDP_VERSION) return {.found = own + ", " + *agent};
  return {.verdict = Verdict::error,
          .found = own + ", but " + *agent,
          .advice = "install or build both together"};
}

Finding check_trainer(const CheckSubject& subject) {
  if (subject.spec != nullptr && !subject.spec->train)
    return {.verdict = Verdict::skipped, .found = "this run does not use it"};
  const auto [training, environment, paths] =
      find_training_here(subject.spec, subject.own_folder, subject.work_dir, subject.seams.submitter);
  const std::string& trainer = paths.trainer;
  if (!resolve_program(trainer, environment)) {
    const bool wanted = subject.spec != nullptr;
    return {.verdict = wanted ? Verdict::error : Verdict::skipped,
            .found = "ddptrain is not installed",
            .advice = wanted ? "'train:' needs it: " + std::string(kInstallLine) : ""};
  }
  if (const auto unfit = find_unfit_libtorch(training, paths, environment))
    return {.verdict = Verdict::error, .found = unfit->message, .advice = unfit->hint};
  if (const auto doubtful = find_doubtful_libtorch(training, paths, environment))
    return {.verdict = Verdict::warning, .found = *doubtful};
  const auto version = ask_version(subject, trainer, environment);
  const auto libtorch = libtorch_of(training, environment);
  if (version) return {.found = *version + (libtorch ? " in " + libtorch->folder.string() : "")};
  const auto missing = find_missing_libraries(trainer, environment, subject.seams.system.runner);
  Finding finding{.verdict = Verdict::error,
                  .found = missing.names.empty() ? version.error().message
                                                 : "missing libraries: " + join_words(missing.names, ", "),
                  .advice = advise_on_libraries(trainer)};
  if (!has_setup(training)) return finding;
  finding.verdict = Verdict::warning;
  finding.found += "; the set-up lines may provide them, but they did not run here";
  return finding;
}

}  // namespace ddp::cli
