#include "cli/spec/spec_fields.hpp"

#include <array>

#include "trainer/config/train_fields.hpp"

namespace ddp::cli {
namespace {

constexpr IntegerRange kPositive{.min = 1, .max = 65'536};
constexpr std::string_view kReservedSignal = "it is how Slurm and people end a run";
constexpr std::array kSignals = {Word{"auto"},
                                 Word{"none"},
                                 Word{"USR1"},
                                 Word{"USR2"},
                                 Word{"TERM", kReservedSignal},
                                 Word{"INT", kReservedSignal},
                                 Word{"KILL", "it cannot be caught"}};

constexpr std::array kHangTimeouts = {Word{"auto"}, Word{"off"}};

void describe_resources(Fields& fields, Resources& resources) {
  fields.integer({"nodes", "number of nodes"}, resources.nodes, kPositive);
  fields.integer({"tasks_per_node", "ranks on each node"}, resources.tasks_per_node,
                 {.min = 1, .max = 4'096});
  fields.integer({"gpus_per_node", "GPUs on each node"}, resources.gpus_per_node, {.min = 0, .max = 1'024});
  fields.text({"gpu_type", "model of the GPUs, as the cluster calls it: a100; any if absent"},
              resources.gpu_type);
  fields.integer({"cpus_per_task", "CPUs of each rank"}, resources.cpus_per_task, kPositive);
  fields.size({"memory", "memory of each node"}, resources.memory_bytes);
  fields.duration({"time", "limit of the whole run"}, resources.time,
                  {.min = std::chrono::seconds{1}, .form = DurationForm::units_or_slurm});
}

void describe_environment(Fields& fields, EnvironmentSpec& environment) {
  fields.flag({"inherit", "start from the submitter's environment"}, environment.inherit);
  fields.text_map({"set", "variables of the ranks"}, environment.set);
  fields.texts({"pass", "variables taken over though inherit is false, or though they would be dropped"},
               environment.pass);
  fields.texts({"secrets", "variables handed over in a file of mode 0600, by name"}, environment.secrets);
  fields.texts({"setup", "lines of shell before the run: on the first node, or on each ssh host",
                ListForm::list_or_lines},
               environment.setup);
}

void describe_fault_tolerance(Fields& fields, FaultTolerance& tolerance) {
  fields.integer(
      {"max_restarts", "restarts in the job after failures without progress; 3 for train, 0 for command"},
      tolerance.max_restarts, {.min = 0, .max = 1'000});
  fields.integer(
      {"min_nodes", "over ssh: hosts to go on with at least when others stay away; the default is all"},
      tolerance.min_nodes, {.min = 1, .max = 100'000});
  fields.flag(
      {"requeue", "Slurm starts the job again after its time limit, preemption or the loss of a node"},
      tolerance.requeue);
  fields.integer({"max_requeues", "how often at the time limit; the default is as long as steps advance"},
                 tolerance.max_requeues, {.min = 0, .max = 100'000});
  fields.word(
      {"signal",
       "sent before the time limit; auto is USR2, of which a command hears only if it asks for stops"},
      tolerance.signal, kSignals);
  fields.duration({"signal_lead", "how long before the time limit"}, tolerance.signal_lead,
                  {.min = std::chrono::seconds{1}});
  fields.duration({"grace_period", "how long a stopped run may take to end"}, tolerance.grace_period, {});
  fields.duration({"exit_timeout", "how long the other ranks of a command may run after the first has ended"},
                  tolerance.exit_timeout, {});
  fields.word_or_duration({"hang_timeout",
                           "how long a step may take; auto is a minute, and ten times the longest step; with "
                           "auto a command that hangs is only reported"},
                          tolerance.hang_timeout, kHangTimeouts, {.min = std::chrono::seconds{1}});
}

void describe_launcher(Fields& fields, RunSpec& spec) {
  std::vector<Word> names;
  for (const auto* launcher : all_launchers()) names.push_back({launcher->name});
  std::string name(spec.launcher->name);
  fields.word({"launcher", "where the run is started"}, name, names);
  spec.launcher = find_launcher(name);
}

void describe_sections(Fields& fields, RunSpec& spec) {
  for (const auto* launcher : all_launchers()) {
    auto* options = spec.sections.find(launcher->name);
    if (options != nullptr)
      fields.section({launcher->name, launcher->section_doc}, [&] { options->describe(fields); });
  }
}

void describe_sweep_options(Fields& fields, SweepOptions& options) {
  fields.integer({"at_once", "points that may run at the same time on Slurm; locally it is always one"},
                 options.at_once, {.min = 1, .max = 10'000});
}

}  // namespace

void describe_spec(Fields& fields, RunSpec& spec) {
  std::vector<std::string> include;  // merged before anything is read
  fields.text({"name", "of the run; the default is the name of the file"}, spec.name);
  fields.texts({"include", "files under this one, in order"}, include);
  describe_launcher(fields, spec);
  fields.path({"run_root",
               "folder of the run folders, shared by all nodes; the default is `runs` in the current folder"},
              spec.run_root);
  fields.section({"resources", "what the run needs"}, [&] { describe_resources(fields, spec.resources); });
  describe_sections(fields, spec);
  fields.section({"environment", "variables of the ranks"},
                 [&] { describe_environment(fields, spec.environment); });
  fields.section(trainer::kRendezvousKey, [&] { trainer::describe_rendezvous(fields, spec.rendezvous); });
  fields.section({"fault_tolerance", "stops, restarts and their times"},
                 [&] { describe_fault_tolerance(fields, spec.fault_tolerance); });
  fields.text_map({"args", "values for {args.NAME} in the words of command"}, spec.args);
  fields.texts({"command", "program and arguments of each rank"}, spec.command);
  fields.section(trainer::kTrainKey, spec.train,
                 [&](trainer::TrainConfig& train) { trainer::describe_train(fields, train, *spec.schemas); });
  fields.lists({"sweep", "keys and their values; every combination is a run of its own"}, spec.sweep);
  fields.section({"sweep_options", "how the points of a sweep are run"},
                 [&] { describe_sweep_options(fields, spec.sweep_options); });
}

}  // namespace ddp::cli
