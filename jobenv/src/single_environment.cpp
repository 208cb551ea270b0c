#include "environment_sources.hpp"
#include "variable_reader.hpp"

namespace ddp {

Expected<JobEnvironment> from_single(const EnvMap& env) {
  JobEnvironment job = make_default_job(EnvironmentSource::single);
  VariableReader reader(env, job);
  reader.read_gpus();
  return job;
}

}  // namespace ddp
