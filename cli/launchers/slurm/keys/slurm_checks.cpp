#include "cli/launchers/slurm/keys/slurm_checks.hpp"

#include "cli/launchers/slurm/keys/sbatch_option_names.hpp"
#include "cli/launchers/slurm/keys/slurm_options.hpp"

namespace ddp::cli {
namespace {

class SlurmChecks {
 public:
  SlurmChecks(const RunSpec& spec, const ConfigNode& root, Errors& errors)
      : spec_(spec), slurm_(options_of<SlurmOptions>(spec)), root_(root), errors_(errors) {}

  void run() {
    check_options();
    if (spec_.launcher->name != SlurmOptions::kLauncher) return;
    check_run_root();
    check_gpus();
  }

 private:
  void check_options() {
    for (const auto& [name, value] : slurm_.options) {
      auto checked = check_sbatch_option(name);
      if (checked) checked = check_sbatch_value(name, value);
      if (checked) continue;
      report("slurm.options." + name, std::move(checked.error().message), std::move(checked.error().hint));
    }
  }

  void check_run_root() {
    if (spec_.run_root.find('\\') == std::string::npos) return;
    report("run_root",
           "run_root is '" + spec_.run_root +
               "': Slurm does not put a job's id (%j) into the name of a log whose path has a '\\'",
           "set run_root to a path without '\\'");
  }

  void check_gpus() {
    const bool needs_gpus = spec_.train && spec_.train->device == trainer::Device::cuda;
    if (!needs_gpus || slurm_.gres) return;
    const int needed = count_copies(*spec_.train, spec_.resources.tasks_per_node);
    if (spec_.resources.gpus_per_node >= needed) return;
    report("train.device",
           std::to_string(needed) + (has_replicas(*spec_.train) ? " replicas" : " ranks a node") +
               " need a GPU each, and resources.gpus_per_node is " +
               std::to_string(spec_.resources.gpus_per_node),
           "set gpus_per_node, or device: cpu");
  }

  void report(std::string path, std::string message, std::string hint) {
    errors_.push_back(
        config_error(nearest_place(root_, std::move(path)), std::move(message), std::move(hint)));
  }

  const RunSpec& spec_;
  const SlurmOptions& slurm_;
  const ConfigNode& root_;
  Errors& errors_;
};

}  // namespace

void check_slurm_keys(const RunSpec& spec, const ConfigNode& root, Errors& errors) {
  SlurmChecks(spec, root, errors).run();
}

}  // namespace ddp::cli
