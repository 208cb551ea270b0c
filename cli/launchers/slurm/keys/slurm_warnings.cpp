#include "cli/launchers/slurm/keys/slurm_warnings.hpp"

#include <fmt/format.h>

#include "cli/launchers/slurm/keys/sbatch_option_names.hpp"
#include "cli/launchers/slurm/keys/slurm_options.hpp"
#include "cli/launchers/slurm/keys/srun_option_names.hpp"
#include "ddp/jobenv/whole_number.hpp"
#include "jobenv/config/diagnostic.hpp"

namespace ddp::cli {
namespace {

std::string place_of_key(const RunSpec& spec, const std::string& key) {
  const auto mark = spec.origins.mark(key);
  return mark ? render_place(*mark) + ": " : "";
}

/// Of "gpu", "gpu:2" or "gpu:a40:2"; 0: it is another resource.
std::int64_t gpus_of_item(std::string_view item) {
  item = item.substr(0, item.find('('));
  if (item != "gpu" && !item.starts_with("gpu:")) return 0;
  return parse_whole_number(item.substr(item.rfind(':') + 1)).value_or(1);
}

/// Parts of GPUs, which have numbers of their own.
bool shares_gpus(std::string_view gres) {
  for (const std::string_view kind : {"shard", "mps"})
    if (gres.starts_with(kind) || gres.find(fmt::format(",{}", kind)) != gres.npos) return true;
  return false;
}

std::int64_t gpus_of_gres(std::string_view gres) {
  std::int64_t gpus = 0;
  while (!gres.empty()) {
    const auto comma = std::min(gres.find(','), gres.size());
    gpus += gpus_of_item(gres.substr(0, comma));
    gres.remove_prefix(std::min(comma + 1, gres.size()));
  }
  return gpus;
}

void warn_of_gres(const RunSpec& spec, std::vector<std::string>& warnings) {
  const auto& gres = options_of<SlurmOptions>(spec).gres;
  const int wanted = spec.resources.gpus_per_node;
  if (!gres || wanted == 0 || shares_gpus(*gres) || gpus_of_gres(*gres) == wanted) return;
  const auto place = place_of_key(spec, "slurm.gres");
  if (gpus_of_gres(*gres) == 0)
    return warnings.push_back(
        fmt::format("{}slurm.gres replaces resources.gpus_per_node, so the job gets no GPUs; set slurm.gres: "
                    "{},gpu:{}, or remove it",
                    place, *gres, wanted));
  warnings.push_back(fmt::format(
      "{}slurm.gres replaces resources.gpus_per_node: the job gets {} GPU{} per node, not {}; set "
      "both to the same number, or remove one of them",
      place, gpus_of_gres(*gres), gpus_of_gres(*gres) == 1 ? "" : "s", wanted));
}

void warn_of_options(const RunSpec& spec, const std::string& key,
                     const std::map<std::string, std::string>& options, const ProgramOptions& known,
                     std::vector<std::string>& warnings) {
  for (const auto& [name, value] : options) {
    const auto doubt = doubt_option_name(name, known);
    if (!doubt) continue;
    const auto path = key + "." + name;
    warnings.push_back(place_of_key(spec, path) + path + ": " + *doubt);
  }
}

void warn_of_mpi(const RunSpec& spec, std::vector<std::string>& warnings) {
  const bool used = !spec.train || spec.rendezvous.backend == "mpi";
  if (used || options_of<SlurmOptions>(spec).mpi == "none") return;
  warnings.push_back(
      place_of_key(spec, "slurm.mpi") +
      "slurm.mpi has no effect: the training does not use MPI; set rendezvous.backend: mpi, or "
      "remove it");
}

}  // namespace

void warn_of_slurm_keys(const RunSpec& spec, std::vector<std::string>& warnings) {
  const auto& slurm = options_of<SlurmOptions>(spec);
  warn_of_gres(spec, warnings);
  warn_of_mpi(spec, warnings);
  warn_of_options(spec, "slurm.options", slurm.options, sbatch_options, warnings);
  warn_of_options(spec, "slurm.srun_options", slurm.srun_options, srun_options, warnings);
}

}  // namespace ddp::cli
