#include "cli/spec/spec_warnings.hpp"

#include "cli/spec/command_args.hpp"
#include "jobenv/config/scalar.hpp"

namespace ddp::cli {
namespace {

/// Nobody knows yet whether the program asks for stops. `none` is somebody's choice.
bool may_end_at_time_limit(const RunSpec& spec) {
  return spec.launcher->traits.time_limit == TimeLimitBy::scheduler && !spec.train &&
         spec.fault_tolerance.requeue && spec.fault_tolerance.signal == "auto";
}

/// A node that is lost leaves no time for the checkpoint that a stop writes.
bool may_lose_all_steps(const RunSpec& spec) {
  const bool goes_on_without_it =
      spec.fault_tolerance.requeue || (spec.launcher->traits.agents_return && spec.resources.nodes > 1);
  if (!spec.train || !goes_on_without_it) return false;
  const auto& checkpoint = spec.train->checkpoint;
  return !checkpoint.every_epochs && !checkpoint.every_steps && !checkpoint.every;
}

std::string explain_end_at_time_limit(const RunSpec& spec) {
  return "fault_tolerance.requeue: at the time limit the job is requeued only if the program calls "
         "should_stop() (docs/python.md), or ends by itself after the signal of fault_tolerance.signal, "
         "which "
         "comes " +
         render_duration(spec.fault_tolerance.signal_lead) + " before the limit";
}

}  // namespace

std::vector<std::string> warn_of_spec(const RunSpec& spec) {
  std::vector<std::string> warnings = warn_of_args(spec);
  if (may_lose_all_steps(spec)) {
    warnings.emplace_back(
        "checkpoints are written only at a stop and at the end: a node failure loses all steps until then; "
        "set train.checkpoint.every, every_steps or every_epochs");
  }
  if (spec.launcher->warn != nullptr) spec.launcher->warn(spec, warnings);
  return warnings;
}

std::vector<std::string> advise_on_spec(const RunSpec& spec) {
  if (!may_end_at_time_limit(spec)) return {};
  return {explain_end_at_time_limit(spec)};
}

}  // namespace ddp::cli
