#include "cli/spec/spec_fields.hpp"

#include <algorithm>
#include <array>

#include "jobenv/record/plan/notify_event.hpp"
#include "trainer/config/train_fields.hpp"

namespace ddp::cli {
namespace {

constexpr IntegerRange kPositive{.min = 1, .max = 65'536};
constexpr std::string_view kReservedSignal = "Slurm and users send it to end a run";
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
  fields.integer({"tasks_per_node", "number of ranks per node"}, resources.tasks_per_node,
                 {.min = 1, .max = 4'096});
  fields.integer({"gpus_per_node", "number of GPUs per node"}, resources.gpus_per_node,
                 {.min = 0, .max = 1'024});
  fields.text(
      {"gpu_type", "GPU model under the name that the cluster uses, such as a100; the default is any model"},
      resources.gpu_type);
  fields.integer({"cpus_per_task", "number of CPUs per rank"}, resources.cpus_per_task, kPositive);
  fields.size({"memory", "memory per node, such as 64GiB; without it, Slurm uses the cluster's default"},
              resources.memory_bytes);
  fields.duration({"time",
                   "time limit of the run with all its restarts, such as 2h; without it, Slurm uses the "
                   "partition's default"},
                  resources.time, {.min = std::chrono::seconds{1}, .form = DurationForm::units_or_slurm});
}

void describe_environment(Fields& fields, EnvironmentSpec& environment) {
  fields.flag({"inherit", "start with the environment variables of the shell that submits the run"},
              environment.inherit);
  fields.text_map({"set", "environment variables to set for the ranks"}, environment.set);
  fields.texts({"pass",
                "environment variables to pass to the ranks even with inherit: false, or although they are "
                "dropped by default"},
               environment.pass);
  fields.texts({"secrets",
                "names of environment variables with secret values, which reach the ranks through a file "
                "that only you can read"},
               environment.secrets);
  fields.texts({"setup",
                "shell lines to run before the ranks start, such as module load: once on the first node, or "
                "on each ssh host",
                ListForm::list_or_lines},
               environment.setup);
  fields.flag({"snapshot",
               "copy the working tree into the run folder when the run is submitted, and run the command in "
               "the copy"},
              environment.snapshot);
  fields.size({"snapshot_limit", "maximum size of that copy; the default is 1GiB"},
              environment.snapshot_limit);
  fields.flag(
      {"record_diff",
       "record in the run folder which files of the git working tree are not committed, with the diff; "
       "always done with snapshot: true"},
      environment.record_diff);
}

void describe_fault_tolerance(Fields& fields, FaultTolerance& tolerance) {
  fields.integer(
      {"max_restarts",
       "maximum number of restarts in the same job after failures without progress (train: a newer "
       "checkpoint; command: a new step); the default is 3 for train, 0 for command"},
      tolerance.max_restarts, {.min = 0, .max = 1'000});
  fields.integer(
      {"min_nodes",
       "over ssh: minimum number of hosts to continue with when others are unreachable; the default is all"},
      tolerance.min_nodes, {.min = 1, .max = 100'000});
  fields.flag(
      {"requeue", "let Slurm start the job again after its time limit, a preemption or a node failure"},
      tolerance.requeue);
  fields.integer({"max_requeues",
                  "maximum number of requeues at the time limit; by default the job is requeued as long as "
                  "steps advance"},
                 tolerance.max_requeues, {.min = 0, .max = 100'000});
  fields.word({"signal",
               "signal that stops the run before its time limit; auto: USR2, which stops a command only if "
               "its program asks for stops"},
              tolerance.signal, kSignals);
  fields.duration({"signal_lead", "how long before the time limit the signal is sent"}, tolerance.signal_lead,
                  {.min = std::chrono::seconds{1}});
  fields.duration(
      {"grace_period", "how long the ranks of a stopped run may take to end before they are killed"},
      tolerance.grace_period, {});
  fields.duration(
      {"exit_timeout", "how long the other ranks of a command may run after the first rank has ended"},
      tolerance.exit_timeout, {});
  fields.word_or_duration(
      {"hang_timeout",
       "how long a step may take (or ten times the longest step so far, if that is more) before its rank "
       "hangs; auto: 1m, and a hang of a command is only reported; off: no check"},
      tolerance.hang_timeout, kHangTimeouts, {.min = std::chrono::seconds{1}});
}

std::array<Word, kNotifyEvents.size()> list_notify_events() {
  std::array<Word, kNotifyEvents.size()> words{};
  std::ranges::transform(kNotifyEvents, words.begin(),
                         [](NotifyEvent event) { return Word{name_of(event)}; });
  return words;
}

void describe_notify(Fields& fields, NotifySpec& notify) {
  static const auto events = list_notify_events();
  fields.texts(
      {"command",
       "program and arguments that the first node calls for each event, with a JSON object on stdin"},
      notify.command);
  fields.texts(
      {.name = "events",
       .doc = "events to call it for; the default is ended and failed: one call when the run is over",
       .words = events},
      notify.events);
}

void describe_launcher(Fields& fields, RunSpec& spec) {
  std::vector<Word> names;
  for (const auto* launcher : all_launchers()) names.push_back({launcher->name});
  std::string name(spec.launcher->name);
  fields.word(
      {"launcher", "where to start the run: on this machine (local), as a Slurm job, or on hosts over ssh"},
      name, names);
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
  fields.integer(
      {"at_once",
       "maximum number of points that run at the same time on Slurm; launcher local runs one at a time"},
      options.at_once, {.min = 1, .max = 10'000});
}

}  // namespace

void describe_spec(Fields& fields, RunSpec& spec) {
  std::vector<std::string> include;  // merged before anything is read
  fields.text({"name", "name of the run; the default is the file name without its ending"}, spec.name);
  fields.texts(
      {"include", "configuration files that this one builds on, in order; keys of this file override theirs"},
      include);
  describe_launcher(fields, spec);
  fields.path({"run_root",
               "folder in which run folders are created, visible on all nodes; the default is `runs` in the "
               "current folder"},
              spec.run_root);
  fields.section({"resources", "number of nodes and ranks, and what each of them needs"},
                 [&] { describe_resources(fields, spec.resources); });
  describe_sections(fields, spec);
  fields.section({"environment", "environment variables and set-up lines of the ranks"},
                 [&] { describe_environment(fields, spec.environment); });
  fields.section(trainer::kRendezvousKey, [&] { trainer::describe_rendezvous(fields, spec.rendezvous); });
  fields.section({"fault_tolerance", "stops, restarts, requeues and hangs"},
                 [&] { describe_fault_tolerance(fields, spec.fault_tolerance); });
  fields.section({"notify", "command that is told what happens to the run"},
                 [&] { describe_notify(fields, spec.notify); });
  fields.text_map({"args", "values for {args.NAME} in the arguments of command"}, spec.args);
  fields.texts({"command", "program and arguments that each rank runs"}, spec.command);
  fields.section(trainer::kTrainKey, spec.train,
                 [&](trainer::TrainConfig& train) { trainer::describe_train(fields, train, *spec.schemas); });
  fields.lists({"sweep", "keys with lists of values; every combination of values is one point of the sweep"},
               spec.sweep);
  fields.section({"sweep_options", "how to run the points of a sweep"},
                 [&] { describe_sweep_options(fields, spec.sweep_options); });
}

}  // namespace ddp::cli
