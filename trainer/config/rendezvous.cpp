#include "trainer/config/rendezvous.hpp"

#include <array>

namespace ddp::trainer {
namespace {

constexpr std::array kBackends = {
    Word{"auto"},
    Word{"gloo"},
    Word{"nccl"},
    Word{"mpi"},
};

}  // namespace

void describe_rendezvous(Fields& fields, Rendezvous& rendezvous) {
  fields.word({"backend",
               "backend of the collective operations; auto: nccl on CUDA, else gloo; mpi: an MPI library, on "
               "CPUs; it also connects MPI programs under `command`"},
              rendezvous.backend, kBackends);
  fields.text({"interface",
               "network interface for the traffic between ranks, such as ib0; auto: chosen by ddpsubmit"},
              rendezvous.interface);
  fields.duration(
      {"timeout",
       "how long a rank waits for the others, at the start and in a collective operation, before it fails"},
      rendezvous.timeout, {.min = std::chrono::seconds{1}});
  fields.flag({"shared_memory", "sum CPU tensors through shared memory when all ranks are on one host"},
              rendezvous.shared_memory);
}

}  // namespace ddp::trainer
