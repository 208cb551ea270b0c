#pragma once

#include <chrono>
#include <string>

#include "jobenv/config/fields.hpp"

namespace ddp::trainer {

/// `rendezvous:` of a run's YAML: how the ranks find and talk to each other.
struct Rendezvous {
  std::string backend = "auto";    ///< auto, gloo, nccl, mpi
  std::string interface = "auto";  ///< auto, or a network interface's name
  std::chrono::seconds timeout{300};
  bool shared_memory = true;

  bool operator==(const Rendezvous&) const = default;
};

void describe_rendezvous(Fields& fields, Rendezvous& rendezvous);

}  // namespace ddp::trainer
