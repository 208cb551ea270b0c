#include "cli/doctor/probe_spec.hpp"

#include <algorithm>

#include "cli/spec/command_args.hpp"

namespace ddp::cli {
namespace {

constexpr std::chrono::seconds kTimeLimit{300};
// Until every node has started its ranks.
constexpr std::chrono::seconds kGathering{60};

FaultTolerance without_second_try() {
  FaultTolerance fault_tolerance;
  fault_tolerance.max_restarts = 0;
  fault_tolerance.signal = "none";
  fault_tolerance.exit_timeout = kTimeLimit;
  return fault_tolerance;
}

}  // namespace

RunSpec make_probe_spec(RunSpec spec, const std::string& agent, const std::string& trainer) {
  std::vector<std::string> command{agent, "probe"};
  if (!trainer.empty()) command.insert(command.end(), {"--trainer", trainer});
  if (!spec.command.empty()) command.insert(command.end(), {"--program", command_of(spec).front()});
  if (!shares_folder(spec)) command.insert(command.end(), {"--run-dirs", "own"});
  spec.name = "doctor";
  spec.train.reset();
  spec.command = std::move(command);
  spec.args.clear();
  spec.resources.time = std::min(spec.resources.time.value_or(kTimeLimit), kTimeLimit);
  if (spec.launcher->silence != nullptr) spec.launcher->silence(spec);
  spec.environment.secrets.clear();
  spec.environment.snapshot = spec.environment.record_diff = false;
  spec.notify = {};
  spec.rendezvous.timeout = kGathering;
  spec.fault_tolerance = without_second_try();
  return spec;
}

}  // namespace ddp::cli
