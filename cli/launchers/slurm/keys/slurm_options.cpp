#include "cli/launchers/slurm/keys/slurm_options.hpp"

namespace ddp::cli {

void SlurmOptions::describe(Fields& fields) {
  fields.text({"partition", "as sbatch's option"}, partition);
  fields.text({"account", "as sbatch's option"}, account);
  fields.text({"qos", "as sbatch's option; several, a,b, since Slurm 24.11"}, qos);
  fields.text({"reservation", "as sbatch's option"}, reservation);
  fields.text({"constraint", "as sbatch's option"}, constraint);
  fields.text({"nodelist", "as sbatch's option"}, nodelist);
  fields.text({"exclude", "as sbatch's option"}, exclude);
  fields.text({"gres", "as sbatch's option; in place of gpus_per_node and gpu_type"}, gres);
  fields.text({"mail_user", "as sbatch's option"}, mail_user);
  fields.text({"mail_type", "as sbatch's option"}, mail_type);
  fields.text({"exclusive", "nodes: no other job on those of this one; user, mcs, topo as sbatch's option"},
              exclusive);
  fields.integer({"segment",
                  "nodes of each part that is to be close together, where topology is in blocks; "
                  "since Slurm 24.05"},
                 segment, {.min = 1, .max = 65'536});
  fields.text({"comment", "of the job, behind the token of the run"}, comment);
  fields.text({"dependency", "as sbatch's option: afterok:123, singleton"}, dependency);
  fields.path({"output", "where to make a link to the log of rank 0; %j is the id of the job"}, output);
  fields.texts({"setup", "lines of shell on the first node, before those of environment.setup",
                ListForm::list_or_lines},
               setup);
  fields.path({"template", "a template in place of the built-in one"}, template_file);
  fields.text_map({"options", "further long options of sbatch, without the dashes"}, options);
  fields.text_map({"srun_options", "long options of the srun that starts the ranks, without the dashes"},
                  srun_options);
}

}  // namespace ddp::cli
