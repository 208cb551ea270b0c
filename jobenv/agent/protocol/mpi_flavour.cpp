#include "jobenv/agent/protocol/mpi_flavour.hpp"

namespace ddp::agent {

std::string_view name_of(MpiFlavour flavour) {
  switch (flavour) {
    case MpiFlavour::open_mpi:
      return "open_mpi";
    case MpiFlavour::cray:
      return "cray";
    case MpiFlavour::mpich:
      break;
  }
  return "mpich";
}

}  // namespace ddp::agent
