#pragma once

#include <string>

#include "ddp/jobenv/error.hpp"
#include "jobenv/record/files/file_descriptor.hpp"
#include "jobenv/record/plan/launch_plan.hpp"

namespace ddp::agent {

/// The port of the rendezvous, held from before the first rank starts.
struct StoreSocket {
  FileDescriptor descriptor;
  int port = 0;
};

/// Binds a free port of `address` (numeric). For a trainer the socket listens, and rank 0 inherits it. For a
/// command it only reserves the port: SO_REUSEADDR is set after the bind, so that a program that sets it too
/// can listen there, and all others are refused.
[[nodiscard]] Expected<StoreSocket> bind_store_socket(const std::string& address, ProgramKind program);

}  // namespace ddp::agent
