#include "cli/launchers/slurm/keys/slurm_options.hpp"

#include <array>

namespace ddp::cli {
namespace {

constexpr std::array kMpiTypes = {Word{"none"}, Word{"pmix"}, Word{"pmi2"}, Word{"cray_shasta"}};

}  // namespace

void SlurmOptions::describe(Fields& fields) {
  fields.text({"partition", "passed to sbatch as --partition"}, partition);
  fields.text({"account", "passed to sbatch as --account"}, account);
  fields.text({"qos", "passed to sbatch as --qos; a list such as a,b needs Slurm 24.11 or later"}, qos);
  fields.text({"reservation", "passed to sbatch as --reservation"}, reservation);
  fields.text({"constraint", "passed to sbatch as --constraint"}, constraint);
  fields.text({"nodelist", "passed to sbatch as --nodelist"}, nodelist);
  fields.text({"exclude", "passed to sbatch as --exclude"}, exclude);
  fields.text({"gres", "passed to sbatch as --gres; replaces resources.gpus_per_node and resources.gpu_type"},
              gres);
  fields.text({"mail_user", "passed to sbatch as --mail-user"}, mail_user);
  fields.text({"mail_type", "passed to sbatch as --mail-type"}, mail_type);
  fields.text({"exclusive",
               "nodes: no other job runs on the nodes of this one; user, mcs, topo: passed to sbatch as "
               "--exclusive=VALUE"},
              exclusive);
  fields.integer({"segment",
                  "passed to sbatch as --segment: number of nodes in each group of nodes that are close "
                  "together in a block topology; needs Slurm 24.05 or later"},
                 segment, {.min = 1, .max = 65'536});
  fields.text({"comment", "text to append to the job's comment, which begins with the token of the run"},
              comment);
  fields.text({"dependency", "passed to sbatch as --dependency, such as afterok:123 or singleton"},
              dependency);
  fields.path({"output", "path of a link to create to the log of rank 0; %j stands for the job id"}, output);
  fields.texts({"setup", "shell lines to run once on the first node, before those of environment.setup",
                ListForm::list_or_lines},
               setup);
  fields.path({"template", "template of the batch script; the default is the built-in one"}, template_file);
  fields.text_map(
      {"options", "other long options of sbatch, without the leading dashes, such as {begin: now+1hour}"},
      options);
  fields.word(
      {"mpi",
       "how srun connects the ranks of MPI programs: pmix for Open MPI, pmi2, or cray_shasta; none: see "
       "rendezvous.backend"},
      mpi, kMpiTypes);
  fields.text_map(
      {"srun_options", "long options of the srun that starts the ranks, without the leading dashes"},
      srun_options);
}

std::string SlurmOptions::job_name() const {
  const auto found = options.find("job-name");
  return found == options.end() ? std::string() : found->second;
}

}  // namespace ddp::cli
