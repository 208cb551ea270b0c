#pragma once

#include <string>

#include "ddp/jobenv/job_environment.hpp"
#include "jobenv/agent/probe/probe_arguments.hpp"
#include "jobenv/probe/node_facts.hpp"

namespace ddp::agent {

/// Whether a rank could go on as ddptrain.
enum class Readiness { ready, unable };
/// Whether all of them can.
enum class NextStep { go, stay };

struct Meeting {
  NextStep next = NextStep::stay;
  NetworkFacts network;
  std::string shared_problem;  ///< of rank 0: whose files it does not see; empty: it sees all
};

/// All ranks of a job meet at rank 0, on the port of the rendezvous: there they compare their clocks with
/// that of its host, and learn whether all of them are ready. Blocks, half a minute at most where somebody is
/// missing. The port is free again afterwards.
[[nodiscard]] Meeting meet(const JobEnvironment& job, Readiness readiness, RunDirs run_dirs);

}  // namespace ddp::agent
