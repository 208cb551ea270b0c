#include "jobenv/agent/controller/lone_mpi_ranks.hpp"

#include "jobenv/record/ledger/index_list.hpp"

namespace ddp::agent {
namespace {

/// What connects the ranks of this library where the run is.
std::string advise_on(MpiFlavour flavour, const LaunchPlan& plan) {
  const bool slurm = plan.traits.scheduler == "Slurm";
  switch (flavour) {
    case MpiFlavour::mpich:
      return "set 'rendezvous.backend: mpi'";
    case MpiFlavour::open_mpi:
      return slurm ? "Open MPI needs 'slurm.mpi: pmix'"
                   : "Open MPI needs 'launcher: slurm' with 'slurm.mpi: pmix'; MPICH needs only "
                     "'rendezvous.backend: mpi'";
    case MpiFlavour::cray:
      break;
  }
  return slurm ? "set 'slurm.mpi: cray_shasta'"
               : "Cray MPICH needs 'launcher: slurm' with 'slurm.mpi: cray_shasta'";
}

}  // namespace

bool LoneMpiRanks::add(const LoneMpiRank& rank) {
  return ranks_.emplace(rank.rank, rank).second && ranks_.size() == 2;
}

std::string LoneMpiRanks::describe(const LaunchPlan& plan) const {
  std::vector<int> numbers;
  for (const auto& [number, rank] : ranks_) numbers.push_back(number);
  const LoneMpiRank& first = ranks_.begin()->second;
  return "ranks " + render_index_list(numbers) + " have loaded an MPI library (" + first.library +
         ") that is not connected: each rank is rank 0 of 1 for MPI; " + advise_on(first.flavour, plan);
}

}  // namespace ddp::agent
