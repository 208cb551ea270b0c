#pragma once

#include <functional>
#include <optional>

#include "ddp/jobenv/job_environment.hpp"
#include "jobenv/probe/network_times.hpp"

namespace ddp::trainer {

/// What `ddptrain --probe` does on each rank of a job: all-reduces of c10d over Gloo, by the address that a
/// training would use. First the first ranks of two nodes at a time, by schedule_pairs; when all pairs went
/// well, all ranks of the job together. A pair that fails costs its nodes some seconds, and no exception.
///
/// `print` takes one JSON object as soon as it is known: PairTime from both ends of a pair, GroupTime from
/// every rank. Throws when the store of the job cannot be reached, or its ranks lose each other. Process
/// groups that failed are not destroyed: that could wait for ever. End the process with _Exit.
void run_network_probe(const JobEnvironment& job, std::optional<int> store_descriptor,
                       const std::function<void(const nlohmann::json& line)>& print);

}  // namespace ddp::trainer
