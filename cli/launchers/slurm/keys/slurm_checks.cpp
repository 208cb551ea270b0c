#include "cli/launchers/slurm/keys/slurm_checks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/launchers/slurm/keys/dependency_list.hpp"
#include "cli/launchers/slurm/keys/sbatch_option_names.hpp"
#include "cli/launchers/slurm/keys/slurm_options.hpp"
#include "cli/launchers/slurm/keys/srun_option_names.hpp"
#include "jobenv/config/suggestion.hpp"
#include "jobenv/record/log_pattern.hpp"

namespace ddp::cli {
namespace {

class SlurmChecks {
 public:
  SlurmChecks(const RunSpec& spec, const ConfigNode& root, Errors& errors)
      : spec_(spec), slurm_(options_of<SlurmOptions>(spec)), root_(root), errors_(errors) {}

  void run() {
    check_options("slurm.options", slurm_.options, sbatch_options);
    check_options("slurm.srun_options", slurm_.srun_options, srun_options);
    check_job_name();
    check_wait();
    check_exclusive();
    check_output();
    if (spec_.launcher->name != SlurmOptions::kLauncher) return;
    check_run_root();
    check_segment();
    check_gpus();
  }

 private:
  void check_options(const std::string& key, const std::map<std::string, std::string>& options,
                     const ProgramOptions& known) {
    for (const auto& [name, value] : options) {
      auto checked = check_option_name(name, known);
      if (checked) checked = check_option_value(name, value, known);
      if (!checked) report(key + "." + name, checked.error());
    }
  }

  /// squeue and sacct print it between such signs.
  void check_job_name() {
    if (slurm_.job_name().find('|') != std::string::npos)
      report("slurm.options.job-name", "the name of a job cannot hold '|' here", "use another sign");
  }

  void check_wait() {
    if (!slurm_.dependency) return;
    if (const auto checked = check_dependency(*slurm_.dependency); !checked)
      report("slurm.dependency", checked.error());
  }

  void check_exclusive() {
    static const std::vector<std::string> kWords = {"nodes", "user", "mcs", "topo"};
    if (!slurm_.exclusive || std::ranges::find(kWords, *slurm_.exclusive) != kWords.end()) return;
    report("slurm.exclusive",
           fmt::format("'exclusive' must be {}, not '{}'", join_words(kWords), *slurm_.exclusive),
           "sbatch's --exclusive without a value is 'nodes'");
  }

  /// Fewer nodes than a segment has are for Slurm to judge: some versions take them.
  void check_segment() {
    const int nodes = spec_.resources.nodes;
    if (!slurm_.segment || nodes < *slurm_.segment || nodes % *slurm_.segment == 0) return;
    report("slurm.segment",
           "resources.nodes is " + std::to_string(nodes) + ", which is not a multiple of slurm.segment, " +
               std::to_string(*slurm_.segment),
           "change one of them so that all segments have the same number of nodes");
  }

  void check_output() {
    if (!slurm_.output) return;
    const auto letters = parse_log_pattern(*slurm_.output);
    if (!letters) return report("slurm.output", letters.error());
    const auto holds = [&letters](char letter) { return letters->find(letter) != letters->npos; };
    const bool tells_points = holds('j') || holds('J') || (holds('A') && holds('a'));
    if (spec_.sweep.empty() || tells_points) return;
    report("slurm.output", "all points of the sweep would use the same link, '" + *slurm_.output + "'",
           "add %j, or %A and %a, to its name");
  }

  void check_run_root() {
    if (spec_.run_root.find('\\') == std::string::npos) return;
    report("run_root",
           "run_root is '" + spec_.run_root +
               "', but Slurm does not replace the job id (%j) in a log path with a '\\'",
           "set run_root to a path without '\\'");
  }

  void check_gpus() {
    const bool needs_gpus = spec_.train && spec_.train->device == trainer::Device::cuda;
    if (!needs_gpus || slurm_.gres) return;
    const int needed = count_copies(*spec_.train, spec_.resources.tasks_per_node);
    if (spec_.resources.gpus_per_node >= needed) return;
    report("train.device",
           std::to_string(needed) + (has_replicas(*spec_.train) ? " replicas" : " ranks per node") +
               " need a GPU each, but resources.gpus_per_node is " +
               std::to_string(spec_.resources.gpus_per_node),
           "set gpus_per_node, or device: cpu");
  }

  void report(std::string path, const Error& error) { report(std::move(path), error.message, error.hint); }

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
