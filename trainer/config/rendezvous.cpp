#include "trainer/config/rendezvous.hpp"

#include <array>

namespace ddp::trainer {
namespace {

constexpr std::array kBackends = {
    Word{"auto"},
    Word{"gloo"},
    Word{"nccl"},
    Word{"mpi", "LibTorch as it is distributed is built without MPI"},
};

}  // namespace

void describe_rendezvous(Fields& fields, Rendezvous& rendezvous) {
  fields.word({"backend", "collectives: auto is nccl on CUDA, else gloo"}, rendezvous.backend, kBackends);
  fields.text({"interface", "network interface of the ranks; auto finds it"}, rendezvous.interface);
  fields.duration({"timeout", "how long ranks wait for each other, at the start and in a collective"},
                  rendezvous.timeout, {.min = std::chrono::seconds{1}});
  fields.flag(
      {"shared_memory", "ranks that are all on one host add up tensors of the CPU in memory that they share"},
      rendezvous.shared_memory);
}

}  // namespace ddp::trainer
