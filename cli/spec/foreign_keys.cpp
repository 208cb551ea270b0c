#include "cli/spec/foreign_keys.hpp"

#include <array>

namespace ddp::cli {
namespace {

constexpr std::array kForeignKeys = {
    ForeignKey{"ntasks", "",
               "set resources.tasks_per_node, the number of ranks per node, and resources.nodes"},
    ForeignKey{"ntasks_per_node", "resources.tasks_per_node", "use resources.tasks_per_node"},
    ForeignKey{"nproc_per_node", "resources.tasks_per_node", "use resources.tasks_per_node"},
    ForeignKey{"ranks_per_node", "resources.tasks_per_node", "use resources.tasks_per_node"},
    ForeignKey{"processes_per_node", "resources.tasks_per_node", "use resources.tasks_per_node"},
    ForeignKey{"num_processes", "",
               "set resources.tasks_per_node, the number of ranks per node, and resources.nodes"},
    ForeignKey{"world_size", "",
               "set resources.nodes and resources.tasks_per_node; the world size is their product"},
    ForeignKey{"nnodes", "resources.nodes", "use resources.nodes"},
    ForeignKey{"num_nodes", "resources.nodes", "use resources.nodes"},
    ForeignKey{"gpus", "resources.gpus_per_node", "use resources.gpus_per_node, the number of GPUs per node"},
    ForeignKey{"num_gpus", "resources.gpus_per_node",
               "use resources.gpus_per_node, the number of GPUs per node"},
    ForeignKey{"ngpus", "resources.gpus_per_node",
               "use resources.gpus_per_node, the number of GPUs per node"},
    ForeignKey{"gpus_per_task", "", "use resources.gpus_per_node, the number of GPUs per node"},
    ForeignKey{"gres", "slurm.gres", "use resources.gpus_per_node for GPUs, slurm.gres for other resources"},
    ForeignKey{"cpus", "resources.cpus_per_task", "use resources.cpus_per_task, the number of CPUs per rank"},
    ForeignKey{"mem", "resources.memory", "use resources.memory, the memory per node, such as 64GiB"},
    ForeignKey{"mem_per_cpu", "",
               "use resources.memory, the memory per node: multiply by the CPUs of a node"},
    ForeignKey{"mem_per_gpu", "",
               "use resources.memory, the memory per node: multiply by the GPUs of a node"},
    ForeignKey{"walltime", "resources.time", "use resources.time"},
    ForeignKey{"time_limit", "resources.time", "use resources.time"},
    ForeignKey{"queue", "slurm.partition", "use slurm.partition"},
    ForeignKey{"job_name", "name", "use name, at the top level"},
    ForeignKey{"array", "", "write a sweep: sweep: {args.lr: [0.1, 0.01]}"},
    ForeignKey{"env", "environment.set",
               "use environment.set, a map of variables: environment: {set: {NAME: value}}"},
    ForeignKey{"env_vars", "environment.set",
               "use environment.set, a map of variables: environment: {set: {NAME: value}}"},
    ForeignKey{"modules", "", "load modules in environment.setup: [\"module load cuda\"]"},
    ForeignKey{"module", "", "load modules in environment.setup: [\"module load cuda\"]"},
    ForeignKey{"conda", "", "activate it in environment.setup: [\"conda activate NAME\"]"},
    ForeignKey{"venv", "", "activate it in environment.setup: [\"source venv/bin/activate\"]"},
    ForeignKey{"script", "command", "use command: [python3, train.py]"},
    ForeignKey{"cmd", "command", "use command: [python3, train.py]"},
    ForeignKey{"entrypoint", "command", "use command: [python3, train.py]"},
    ForeignKey{"chdir", "", "remove it: ranks start in the folder in which ddpsubmit is called"},
    ForeignKey{"workdir", "", "remove it: ranks start in the folder in which ddpsubmit is called"},
    ForeignKey{"work_dir", "", "remove it: ranks start in the folder in which ddpsubmit is called"},
    ForeignKey{"cwd", "", "remove it: ranks start in the folder in which ddpsubmit is called"},
    ForeignKey{"error", "", "remove it: 'ddpsubmit logs' shows stdout and stderr of all ranks"},
    ForeignKey{"node_rank", "", "remove it: ddpsubmit numbers the nodes itself"},
    ForeignKey{"master_addr", "", "remove it: ddpsubmit finds the address of rank 0 itself"},
    ForeignKey{"master_port", "", "remove it: ddpsubmit finds a free port itself"},
    ForeignKey{"rdzv_backend", "", "remove it: ddpsubmit connects the ranks itself"},
    ForeignKey{"rdzv_endpoint", "", "remove it: ddpsubmit connects the ranks itself"},
    ForeignKey{"rdzv_id", "", "remove it: ddpsubmit connects the ranks itself"},
};

}  // namespace

ForeignKeys foreign_keys() {
  return kForeignKeys;
}

}  // namespace ddp::cli
