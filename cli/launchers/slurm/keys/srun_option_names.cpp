#include "cli/launchers/slurm/keys/srun_option_names.hpp"

#include <array>

namespace ddp::cli {
namespace {

constexpr std::string_view kStartsRanks = "is set by ddp-agent, which starts the ranks with it";
constexpr std::string_view kWaitsForSrun =
    "is set by ddp-agent, which waits for srun to know that all ranks have ended";
constexpr std::string_view kRunsTheAgent =
    "is not supported: srun starts ddp-agent, which starts the program";
constexpr std::string_view kFolder = "is not supported: ranks run in the folder that ddpsubmit was called in";
constexpr std::string_view kOrderOfRanks =
    "is set by ddp-agent: ranks are numbered node by node, in the order of the nodes";
constexpr std::string_view kLogs = "is set by ddp-agent: the output of ranks goes to files in the run folder";
constexpr std::string_view kSeeLogs = "show the output: ddpsubmit logs";
constexpr std::string_view kNameOfStep = "is set by ddp-agent, which finds its job step by this name";
constexpr std::string_view kOneJob = "is not supported: the ranks run in one step of the run's job";
constexpr std::string_view kRestarts = "is not supported: a restart waits for the previous job step to end";
constexpr std::string_view kPrints = "is not supported: srun has to start the ranks and report failures";
constexpr std::string_view kCluster = "is not supported: the ranks run in the run's job";
constexpr std::string_view kOneUnitOfMemory = "is not supported: ranks share the memory of the job";

/// srun takes no notice of it in a job that runs.
constexpr OptionName of_the_job(std::string_view name, char letter, std::string_view remedy,
                                ValueUse value = ValueUse::required) {
  return refused_option(name, letter, "applies to the whole job, which is already running when srun starts",
                        remedy, value);
}

/// The long options of srun, of Slurm 20.11 to 26.05, sorted.
constexpr std::array kSrunOptions = {
    of_the_job("account", 'A', "use slurm.account"),
    free_option("acctg-freq"),
    refused_option("async", 0, kWaitsForSrun, "remove it", ValueUse::none),
    refused_option("autocomplete", 0, kPrints, "remove it"),
    of_the_job("bb", 0, "use slurm.options.bb"),
    of_the_job("bbf", 0, "use slurm.options.bbf"),
    refused_option("bcast", 0, kRunsTheAgent, "remove it", ValueUse::optional),
    free_option("bcast-exclude"),
    of_the_job("begin", 'b', "use slurm.options.begin"),
    refused_option("chdir", 'D', kFolder, "remove it"),
    refused_option("cluster", 0, kCluster, "submit on a host of that cluster"),
    of_the_job("cluster-constraint", 0, "use slurm.options.cluster-constraint"),
    refused_option("clusters", 'M', kCluster, "submit on a host of that cluster"),
    of_the_job("comment", 0, "use slurm.comment"),
    optional_value("compress"),
    of_the_job("constraint", 'C', "use slurm.constraint"),
    free_option("container"),
    free_option("container-id"),
    newer_option("container-type"),
    of_the_job("contiguous", 0, "use slurm.options.contiguous", ValueUse::none),
    of_the_job("core-spec", 'S', "use slurm.options.core-spec"),
    free_option("cores-per-socket"),
    free_option("cpu-bind"),
    free_option("cpu-freq"),
    refused_option("cpus-per-gpu", 0,
                   "cannot be combined with --cpus-per-task, which ddp-agent passes to srun",
                   "use resources.cpus_per_task"),
    with_key("cpus-per-task", 'c', "use resources.cpus_per_task"),
    of_the_job("deadline", 0, "use slurm.options.deadline"),
    of_the_job("delay-boot", 0, "use slurm.options.delay-boot"),
    of_the_job("dependency", 'd', "use slurm.dependency"),
    flag_option("disable-status", 'X'),
    refused_option("distribution", 'm', kOrderOfRanks, "remove it"),
    free_option("epilog"),
    refused_option("error", 'e', kLogs, kSeeLogs),
    flag_option("exact"),
    of_the_job("exclude", 'x', "use slurm.exclude"),
    optional_value("exclusive"),
    with_key("export", 0, "use environment"),
    with_key("export-file", 0, "use environment"),
    refused_option("external-launcher", 0, kRunsTheAgent, "remove it", ValueUse::none),
    of_the_job("extra", 0, "use slurm.options.extra"),
    free_option("extra-node-info", 'B'),
    of_the_job("gid", 0, "use slurm.options.gid"),
    free_option("gpu-bind"),
    free_option("gpu-freq"),
    with_key("gpus", 'G', "use resources.gpus_per_node"),
    with_key("gpus-per-node", 0, "use resources.gpus_per_node"),
    with_key("gpus-per-socket", 0, "use resources.gpus_per_node"),
    with_key("gpus-per-task", 0, "use resources.gpus_per_node"),
    with_key("gres", 0, "use slurm.gres"),
    free_option("gres-flags"),
    refused_option("help", 'h', kPrints, "remove it", ValueUse::none),
    refused_option("het-group", 0, kOneJob, "remove it"),
    free_option("hint"),
    of_the_job("hold", 'H', "use slurm.options.hold", ValueUse::none),
    refused_option("ignore-signals", 0, kWaitsForSrun, "remove it"),
    refused_option("immediate", 'I', kRestarts, "remove it", ValueUse::optional),
    refused_option("input", 'i', kLogs, kSeeLogs),
    refused_option("interactive", 0, kRunsTheAgent, "remove it", ValueUse::none),
    refused_option("job-name", 'J', kNameOfStep, "use name, the name of the run and its job"),
    refused_option("jobid", 0, kOneJob, "remove it"),
    refused_option("kill-on-bad-exit", 'K', kWaitsForSrun, "remove it", ValueUse::optional),
    refused_option("label", 'l', kLogs, kSeeLogs, ValueUse::none),
    refused_option("launch-cmd", 0, kPrints, "remove it", ValueUse::none),
    refused_option("launcher-opts", 0, kRunsTheAgent, "remove it"),
    of_the_job("licenses", 'L', "use slurm.options.licenses"),
    of_the_job("mail-type", 0, "use slurm.mail_type"),
    of_the_job("mail-user", 0, "use slurm.mail_user"),
    of_the_job("mcs-label", 0, "use slurm.options.mcs-label"),
    with_key("mem", 0, "use resources.memory"),
    free_option("mem-bind"),
    refused_option("mem-per-cpu", 0, kOneUnitOfMemory, kMemoryOfNode),
    refused_option("mem-per-gpu", 0, kOneUnitOfMemory, kMemoryOfNode),
    newer_option("mem-update"),
    of_the_job("mincpus", 0, "use slurm.options.mincpus"),
    with_key("mpi", 0, "use slurm.mpi"),
    free_option("msg-timeout"),
    refused_option("multi-prog", 0, kRunsTheAgent, "use command", ValueUse::none),
    free_option("network"),
    optional_value("nice"),
    refused_option("no-allocate", 'Z', kOneJob, "remove it", ValueUse::none),
    refused_option("no-kill", 'k', kWaitsForSrun, "remove it", ValueUse::optional),
    of_the_job("no-requeue", 0, "use fault_tolerance.requeue", ValueUse::none),
    refused_option("nodefile", 'F', kOrderOfRanks, "use slurm.nodelist"),
    of_the_job("nodelist", 'w', "use slurm.nodelist"),
    with_key("nodes", 'N', "use resources.nodes"),
    with_key("ntasks", 'n', "use resources.tasks_per_node"),
    free_option("ntasks-per-core"),
    with_key("ntasks-per-gpu", 0, "use resources.tasks_per_node"),
    with_key("ntasks-per-node", 0, "use resources.tasks_per_node"),
    free_option("ntasks-per-socket"),
    with_key("ntasks-per-tres", 0, "use resources.tasks_per_node"),
    newer_option("oom-kill-step"),
    refused_option("open-mode", 0, kLogs, kSeeLogs),
    refused_option("output", 'o', kLogs,
                   "slurm.output creates a link to the log of rank 0; show all logs: ddpsubmit logs"),
    flag_option("overcommit", 'O'),
    flag_option("overlap"),
    of_the_job("oversubscribe", 's', "use slurm.options.oversubscribe", ValueUse::none),
    refused_option("pack-group", 0, kOneJob, "remove it"),
    refused_option("parsable", 0, kPrints, "remove it", ValueUse::none),
    of_the_job("partition", 'p', "use slurm.partition"),
    of_the_job("power", 0, "use slurm.options.power"),
    of_the_job("prefer", 0, "use slurm.options.prefer"),
    refused_option("preserve-env", 'E', kStartsRanks, "remove it", ValueUse::none),
    of_the_job("priority", 0, "use slurm.options.priority"),
    free_option("profile"),
    free_option("prolog"),
    optional_value("propagate"),
    refused_option("pty", 0, kLogs, kSeeLogs, ValueUse::optional),
    of_the_job("qos", 'q', "use slurm.qos"),
    refused_option("quiet", 'Q', kPrints, "remove it", ValueUse::none),
    refused_option("quit-on-interrupt", 0, kWaitsForSrun, "remove it", ValueUse::none),
    of_the_job("reboot", 0, "use slurm.options.reboot", ValueUse::none),
    refused_option("relative", 'r', kOrderOfRanks, "remove it"),
    of_the_job("requeue", 0, "use fault_tolerance.requeue", ValueUse::none),
    of_the_job("reservation", 0, "use slurm.reservation"),
    of_the_job("resources", 0, "use slurm.options.resources"),
    optional_value("resv-ports"),
    of_the_job("segment", 0, "use slurm.segment"),
    optional_value("send-libs"),
    with_key("signal", 0, "use fault_tolerance.signal"),
    free_option("slurmd-debug"),
    free_option("sockets-per-node"),
    of_the_job("spread-job", 0, "use slurm.options.spread-job", ValueUse::none),
    of_the_job("stepmgr", 0, "use slurm.options.stepmgr", ValueUse::none),
    of_the_job("switches", 0, "use slurm.options.switches"),
    free_option("task-epilog"),
    free_option("task-prolog"),
    with_key("tasks-per-node", 0, "use resources.tasks_per_node"),
    refused_option("test-only", 0, kPrints, "remove it", ValueUse::none),
    free_option("thread-spec"),
    free_option("threads", 'T'),
    free_option("threads-per-core"),
    with_key("time", 't', "use resources.time"),
    of_the_job("time-min", 0, "use slurm.options.time-min"),
    of_the_job("tmp", 0, "use slurm.options.tmp"),
    newer_option("treewidth"),
    free_option("tres-bind"),
    with_key("tres-per-job", 0, "use resources"),
    with_key("tres-per-task", 0, "use resources"),
    of_the_job("uid", 0, "use slurm.options.uid"),
    refused_option("unbuffered", 'u', kStartsRanks, "remove it", ValueUse::none),
    refused_option("usage", 0, kPrints, "remove it", ValueUse::none),
    refused_option("use-min-nodes", 0, kOrderOfRanks, "remove it", ValueUse::none),
    flag_option("verbose", 'v'),
    refused_option("version", 'V', kPrints, "remove it", ValueUse::none),
    refused_option("wait", 'W', kWaitsForSrun, "remove it"),
    newer_option("wait-for-children"),
    of_the_job("wckey", 0, "use slurm.options.wckey"),
    flag_option("whole"),
    optional_value("x11"),
};

}  // namespace

const ProgramOptions srun_options{"srun", kSrunOptions};

}  // namespace ddp::cli
