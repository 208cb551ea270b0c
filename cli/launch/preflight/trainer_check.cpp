#include "cli/launch/preflight/trainer_check.hpp"

#include <sys/mman.h>

#include "cli/spec/render_spec.hpp"
#include "jobenv/record/files/file_descriptor.hpp"
#include "jobenv/record/program_path.hpp"

namespace ddp::cli {
namespace {

/// In memory, for a program that inherits the descriptor.
FileDescriptor hold_text(const std::string& text) {
  FileDescriptor file(memfd_create("configuration", MFD_CLOEXEC));
  if (file.is_open() && write_all(file.get(), text) != 0) return {};
  return file;
}

bool checks_itself(const RunSpec& spec) {
  return spec.train && spec.train->program != trainer::TrainConfig{}.program && !has_setup(spec) &&
         spec.environment.set.empty();
}

}  // namespace

Preflight check_by_trainer(const RunSpec& spec, const PlanPaths& paths, const EnvMap& environment,
                           CommandRunner& runner) {
  const RunSpec& checked = spec.points.empty() ? spec : spec.points.front();
  if (!checks_itself(checked) || !resolve_program(paths.trainer, environment)) return {};
  const FileDescriptor file = hold_text(render_spec(checked));
  if (!file.is_open()) return {};
  const auto result = runner.run(
      {.argv = {paths.trainer, "--config", "/proc/self/fd/" + std::to_string(file.get()), "--check-config"},
       .environment = with_libraries(environment, paths.libraries),
       .inherited_descriptor = file.get()});
  if (!result || result->succeeded()) return {};
  return {.errors = {{ExitCode::config_invalid,
                      "'" + spec.train->program + "' refuses the configuration:\n" + result->err,
                      {},
                      spec.origins.mark("train.program")}},
          .warnings = {}};
}

}  // namespace ddp::cli
