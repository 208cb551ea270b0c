#include "cli/launchers/slurm/keys/slurm_options.hpp"

namespace ddp::cli {

void SlurmOptions::describe(Fields& fields) {
  fields.text({"partition", "as sbatch's option"}, partition);
  fields.text({"account", "as sbatch's option"}, account);
  fields.text({"qos", "as sbatch's option"}, qos);
  fields.text({"reservation", "as sbatch's option"}, reservation);
  fields.text({"constraint", "as sbatch's option"}, constraint);
  fields.text({"nodelist", "as sbatch's option"}, nodelist);
  fields.text({"exclude", "as sbatch's option"}, exclude);
  fields.text({"gres", "as sbatch's option; in place of gpus_per_node and gpu_type"}, gres);
  fields.text({"mail_user", "as sbatch's option"}, mail_user);
  fields.text({"mail_type", "as sbatch's option"}, mail_type);
  fields.texts({"setup", "lines of shell on the first node, before those of environment.setup"}, setup);
  fields.path({"template", "a template in place of the built-in one"}, template_file);
  fields.text_map({"options", "further long options of sbatch, without the dashes"}, options);
}

}  // namespace ddp::cli
