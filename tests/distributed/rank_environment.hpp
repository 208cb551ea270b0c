#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "ddp/jobenv/job_environment.hpp"

/// What ddp-agent would tell a rank of a job on this machine; `folder` is its run folder.
inline ddp::JobEnvironment local_job(const std::string& folder, int rank, int ranks, int port) {
  ddp::JobEnvironment job;
  job.run_id = "test-00000000";
  job.run_dir = folder;
  job.launcher = "local";
  job.rank = job.local_rank = rank;
  job.world_size = job.local_world_size = ranks;
  job.tasks_per_node = {ranks};
  job.hostnames = {"localhost"};
  job.node_name = "localhost";
  job.master_port = port;
  job.nonce = "this";
  job.interface = "127.0.0.1";
  return job;
}

/// Sets these variables for this process, and appends its output to `folder`/rank-R.out and .err.
inline void take_part_in(const ddp::JobEnvironment& job, const ddp::EnvMap& variables) {
  for (const auto& [name, value] : variables.variables()) setenv(name.c_str(), value.c_str(), 1);
  const auto redirect = [&](int descriptor, const std::string& suffix) {
    const std::string path = job.run_dir + "/rank-" + std::to_string(job.rank) + suffix;
    dup2(open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600), descriptor);
  };
  redirect(STDOUT_FILENO, ".out");
  redirect(STDERR_FILENO, ".err");
}
