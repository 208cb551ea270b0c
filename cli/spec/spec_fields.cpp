#include "cli/spec/spec_fields.hpp"

#include <array>

#include "trainer/config/train_fields.hpp"

namespace ddp::cli {
namespace {

constexpr IntegerRange kPositive{.min = 1, .max = 65'536};
constexpr std::array kLaunchers = {Choice{LauncherKind::local, "local"}, Choice{LauncherKind::slurm, "slurm"},
                                   Choice{LauncherKind::ssh, "ssh"}};
constexpr std::array kStages = {Choice{Stage::shared, "shared"}, Choice{Stage::push, "push"}};
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

void describe_slurm(Fields& fields, SlurmOptions& slurm) {
  fields.text({"partition", "as sbatch's option"}, slurm.partition);
  fields.text({"account", "as sbatch's option"}, slurm.account);
  fields.text({"qos", "as sbatch's option"}, slurm.qos);
  fields.text({"reservation", "as sbatch's option"}, slurm.reservation);
  fields.text({"constraint", "as sbatch's option"}, slurm.constraint);
  fields.text({"nodelist", "as sbatch's option"}, slurm.nodelist);
  fields.text({"exclude", "as sbatch's option"}, slurm.exclude);
  fields.text({"gres", "as sbatch's option; in place of gpus_per_node and gpu_type"}, slurm.gres);
  fields.text({"mail_user", "as sbatch's option"}, slurm.mail_user);
  fields.text({"mail_type", "as sbatch's option"}, slurm.mail_type);
  fields.texts({"setup", "lines of shell on the first node, before those of environment.setup"}, slurm.setup);
  fields.path({"template", "a template in place of the built-in one"}, slurm.template_file);
  fields.text_map({"options", "further long options of sbatch, without the dashes"}, slurm.options);
}

void describe_ssh_options(Fields& fields, SshOptions& ssh) {
  fields.sections({"hosts", "machines to run on; the first `resources.nodes` with enough slots are taken"},
                  "host", ssh.hosts, [&](SshHost& host) {
                    fields.text({"host", "as ssh on the submit host knows it"}, host.host);
                    fields.integer({"slots", "the most ranks that it takes; any number if absent"},
                                   host.slots, {.min = 1, .max = 4'096});
                    fields.text({"address", "to connect to in place of its name"}, host.address);
                  });
  fields.path({"host_file", "more hosts, a line each: `node1 slots=4`"}, ssh.host_file);
  fields.text({"user", "on the hosts; the default is that of ~/.ssh/config, else your own"}, ssh.user);
  fields.integer({"port", "of their sshd; the default is that of ~/.ssh/config, else 22"}, ssh.port,
                 {.min = 1, .max = 65'535});
  fields.path({"identity_file", "private key to use besides those of the agent and of ~/.ssh"},
              ssh.identity_file);
  fields.choice(
      {"stage", "how the hosts get programs and run folder: all share one file system, or by a copy"},
      ssh.stage, kStages);
  fields.text({"push_folder", "of each host, for what is copied; the default is ~/.ddpsubmit there"},
              ssh.push_folder);
  fields.duration({"connect_timeout", "for a host to answer"}, ssh.connect_timeout,
                  {.min = std::chrono::seconds{1}});
}

void describe_environment(Fields& fields, EnvironmentSpec& environment) {
  fields.flag({"inherit", "start from the submitter's environment"}, environment.inherit);
  fields.text_map({"set", "variables of the ranks"}, environment.set);
  fields.texts({"pass", "variables taken over though inherit is false, or though they would be dropped"},
               environment.pass);
  fields.texts({"secrets", "variables handed over in a file of mode 0600, by name"}, environment.secrets);
  fields.texts({"setup", "lines of shell before the run: on the first node, or on each ssh host"},
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
  fields.word({"signal", "sent before the time limit; auto is USR2 for train, none for command"},
              tolerance.signal, kSignals);
  fields.duration({"signal_lead", "how long before the time limit"}, tolerance.signal_lead,
                  {.min = std::chrono::seconds{1}});
  fields.duration({"grace_period", "how long a stopped run may take to end"}, tolerance.grace_period, {});
  fields.duration({"exit_timeout", "how long the other ranks of a command may run after the first has ended"},
                  tolerance.exit_timeout, {});
  fields.word_or_duration(
      {"hang_timeout",
       "of train: how long a step may take; auto is a minute, and ten times the longest step"},
      tolerance.hang_timeout, kHangTimeouts, {.min = std::chrono::seconds{1}});
}

void describe_sweep_options(Fields& fields, SweepOptions& options) {
  fields.integer({"at_once", "points that may run at the same time on Slurm; locally it is always one"},
                 options.at_once, {.min = 1, .max = 10'000});
}

}  // namespace

void describe_ssh(Fields& fields, SshOptions& ssh) {
  fields.section({"ssh", "options of the ssh launcher"}, [&] { describe_ssh_options(fields, ssh); });
}

void describe_spec(Fields& fields, RunSpec& spec) {
  std::vector<std::string> include;  // merged before anything is read
  fields.text({"name", "of the run; the default is the name of the file"}, spec.name);
  fields.texts({"include", "files under this one, in order"}, include);
  fields.choice({"launcher", "where the run is started"}, spec.launcher, kLaunchers);
  fields.path({"run_root",
               "folder of the run folders, shared by all nodes; the default is `runs` in the current folder"},
              spec.run_root);
  fields.section({"resources", "what the run needs"}, [&] { describe_resources(fields, spec.resources); });
  fields.section({"slurm", "options of the Slurm launcher"}, [&] { describe_slurm(fields, spec.slurm); });
  describe_ssh(fields, spec.ssh);
  fields.section({"environment", "variables of the ranks"},
                 [&] { describe_environment(fields, spec.environment); });
  fields.section(trainer::kRendezvousKey, [&] { trainer::describe_rendezvous(fields, spec.rendezvous); });
  fields.section({"fault_tolerance", "stops, restarts and their times"},
                 [&] { describe_fault_tolerance(fields, spec.fault_tolerance); });
  fields.texts({"command", "program and arguments of each rank"}, spec.command);
  fields.section(trainer::kTrainKey, spec.train,
                 [&](trainer::TrainConfig& train) { trainer::describe_train(fields, train, *spec.schemas); });
  fields.lists({"sweep", "keys and their values; every combination is a run of its own"}, spec.sweep);
  fields.section({"sweep_options", "how the points of a sweep are run"},
                 [&] { describe_sweep_options(fields, spec.sweep_options); });
}

}  // namespace ddp::cli
