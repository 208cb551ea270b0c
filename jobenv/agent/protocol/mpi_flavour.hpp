#pragma once

#include <string_view>

namespace ddp::agent {

/// Which process managers an MPI library knows: MPICH and its kin (Intel MPI, MVAPICH) PMI-1, Open MPI only
/// PMIx, Cray MPICH what its own system has.
enum class MpiFlavour { mpich, open_mpi, cray };
[[nodiscard]] std::string_view name_of(MpiFlavour flavour);

}  // namespace ddp::agent
