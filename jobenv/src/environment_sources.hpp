#pragma once

#include "ddp/jobenv/env_map.hpp"
#include "ddp/jobenv/error.hpp"
#include "ddp/jobenv/job_environment.hpp"

namespace ddp {

/// The sources of JobEnvironment::from. `is_…` tells whether a source speaks at all; `from_…` then reads it
/// or refuses.

[[nodiscard]] bool is_ddpsubmit_rank(const EnvMap& env);
[[nodiscard]] Expected<JobEnvironment> from_ddpsubmit(const EnvMap& env);

[[nodiscard]] bool is_slurm_job(const EnvMap& env);
[[nodiscard]] Expected<JobEnvironment> from_slurm(const EnvMap& env);

[[nodiscard]] bool is_torch_rank(const EnvMap& env);
[[nodiscard]] Expected<JobEnvironment> from_torch(const EnvMap& env);

/// One process on its own.
[[nodiscard]] Expected<JobEnvironment> from_single(const EnvMap& env);

/// A job of `source` whose fields all have the origin "default".
[[nodiscard]] JobEnvironment make_default_job(EnvironmentSource source);

}  // namespace ddp
