#include <fmt/format.h>

#include "cli/launchers/slurm/doctor/failed_launches.hpp"
#include "cli/launchers/slurm/doctor/slurm_doctor.hpp"
#include "cli/launchers/slurm/keys/sbatch_variables.hpp"
#include "cli/launchers/slurm/keys/slurm_checks.hpp"
#include "cli/launchers/slurm/keys/slurm_options.hpp"
#include "cli/launchers/slurm/keys/slurm_warnings.hpp"
#include "cli/launchers/slurm/query/partition_names.hpp"
#include "cli/launchers/slurm/script/sbatch_options.hpp"
#include "cli/launchers/slurm/slurm_launcher.hpp"
#include "ddp/jobenv/host_list.hpp"
#include "ddp/jobenv/shell_quote.hpp"
#include "jobenv/record/plan/launch_plan.hpp"

namespace ddp::cli {
namespace {

std::unique_ptr<LauncherOptions> make_slurm_options() {
  return std::make_unique<SlurmOptions>();
}

std::string exclude_nodes(const RunSpec& spec, const std::vector<std::string>& hosts) {
  const auto& exclude = options_of<SlurmOptions>(spec).exclude;
  return "slurm.exclude=" + (exclude ? *exclude + "," : std::string()) + HostList(hosts).compress();
}

std::vector<std::string> propose_values(std::string_view key, const LauncherSeams& seams) {
  return key == "partition" ? ask_partition_names(SlurmTools(seams)) : std::vector<std::string>{};
}

/// A trial sends no mail, makes no link, and waits for no job.
void silence_job(RunSpec& spec) {
  auto& slurm = options_of<SlurmOptions>(spec);
  for (auto* key : {&slurm.mail_user, &slurm.mail_type, &slurm.output, &slurm.dependency}) key->reset();
}

void complete_slurm_plan(const RunSpec& spec, LaunchPlan& plan) {
  for (const auto& option : srun_options_of(spec)) plan.start_options.push_back(render_argument(option));
  if (const auto& mpi = options_of<SlurmOptions>(spec).mpi; mpi != "none") {
    plan.process_manager = ProcessManagerKind::launcher;
    plan.start_options.push_back("--mpi=" + mpi);
  }
  plan.output_link = options_of<SlurmOptions>(spec).output.value_or("");
}

/// Where the submission itself is lost, so is its token.
std::string look_in_queue(const RunStatus& run, const RunPointer& pointer) {
  if (!run.in_doubt && !run.token.empty())
    return fmt::format("look for its job: squeue --me --format='%i %T %k' | grep {}", run.token);
  const RunFolder folder(pointer.run_dir);
  const auto root = (folder.point() ? folder.sweep() : folder).root().string();
  return fmt::format("look for its job: squeue --me --all --Format=ArrayJobID,State,STDOUT:{} | grep -F {}",
                     root.size() + 100, quote_for_shell(root + "/"));
}

std::string cancel_job(const std::string& job_id) {
  return "scancel " + job_id;
}

std::string explain_cancel(const RunStatus& run, const RunPointer&) {
  return run.job_id.empty() ? std::string() : "end its job by hand: " + cancel_job(run.job_id);
}

std::string resume_job(const std::string& job_id) {
  return "scontrol resume " + job_id;
}

std::string look_at_node(const std::string& host) {
  return "srun --nodelist=" + host + " top -bn1";
}

constexpr std::string_view kFirstSlurmLines = R"(resources:
  nodes: 1                # number of nodes
  tasks_per_node: 2       # number of ranks on each node; on nodes with GPUs, one for each GPU
  # gpus_per_node: 2      # number of GPUs on each node
  cpus_per_task: 1        # number of CPUs for each rank
  time: 30m               # time limit of the job

# slurm:
#   partition: gpu        # partition of the job; 'sinfo' lists the partitions
#   account: my-project   # account of the job, if your cluster asks for one
)";

}  // namespace

const LauncherRow slurm_launcher{.name = SlurmOptions::kLauncher,
                                 .traits = {.scheduler = "Slurm",
                                            .requeue_command = "scontrol requeue",
                                            .time_limit = TimeLimitBy::scheduler,
                                            .setup = SetupPlace::batch_script,
                                            .stop = StopReaches::everyone},
                                 .sets_variables = {"CUDA_VISIBLE_DEVICES"},
                                 .section_doc = "options of the Slurm launcher",
                                 .make_options = make_slurm_options,
                                 .read_variables = read_sbatch_variables,
                                 .first_lines = kFirstSlurmLines,
                                 .section_is_shared = "all points are tasks of one Slurm array",
                                 .check = check_slurm_keys,
                                 .warn = warn_of_slurm_keys,
                                 .complete_plan = complete_slurm_plan,
                                 .exclude_hosts = exclude_nodes,
                                 .propose_values = propose_values,
                                 .silence = silence_job,
                                 .make = make_slurm_launcher,
                                 .by_hand = {.find_job = look_in_queue,
                                             .end_run = explain_cancel,
                                             .end_job = cancel_job,
                                             .resume_job = resume_job,
                                             .look_at_host = look_at_node},
                                 .parse_failed_launches = parse_failed_launches,
                                 .doctor_checks = slurm_checks};

}  // namespace ddp::cli
