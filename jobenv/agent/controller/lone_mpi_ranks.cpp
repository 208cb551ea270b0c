#include "jobenv/agent/controller/lone_mpi_ranks.hpp"

#include <iterator>

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
  const LoneMpiRank& first = ranks_.begin()->second;
  const LoneMpiRank& second = std::next(ranks_.begin())->second;
  return "two or more ranks, such as " + std::to_string(first.rank) + " and " + std::to_string(second.rank) +
         ", have loaded an MPI library (" + first.library +
         ") that nothing connects: MPI_Init makes each of them rank 0 of 1; " +
         advise_on(first.flavour, plan);
}

}  // namespace ddp::agent
