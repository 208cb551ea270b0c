#include "jobenv/agent/probe/probe.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "ddp/jobenv/job_environment.hpp"
#include "jobenv/agent/probe/probe_facts.hpp"
#include "jobenv/agent/probe/probe_meeting.hpp"
#include "jobenv/record/exec_strings.hpp"

namespace ddp::agent {
namespace {

void print(const NodeFacts& facts) {
  std::puts(to_json(facts).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
  std::fflush(stdout);
}

int go_on_as_trainer(const std::string& trainer, const EnvMap& env,
                     const std::function<void(const std::string&)>& log) {
  const std::vector<std::string> argv{trainer, "--probe"};
  const auto entries = env.entries();
  execve(trainer.c_str(), pointers_to(argv).data(), pointers_to(entries).data());
  log("cannot start " + trainer + ": " + std::strerror(errno));
  return static_cast<int>(ExitCode::run_failed);
}

}  // namespace

int run_probe(const ProbeArguments& arguments, const EnvMap& env,
              const std::function<void(const std::string&)>& log) {
  const auto job = JobEnvironment::from(env);
  if (!job) {
    log(job.error().message);
    return static_cast<int>(job.error().code);
  }
  const bool speaks_for_node = job->local_rank == 0;
  NodeFacts facts;
  if (speaks_for_node) facts = gather_node_facts(*job, arguments, env);
  const auto ready = facts.trainer.starts() ? Readiness::ready : Readiness::unable;
  const auto meeting = meet(*job, ready, arguments.run_dirs);
  if (speaks_for_node) {
    facts.network = meeting.network;
    if (facts.shared_problem.empty()) facts.shared_problem = meeting.shared_problem;
    print(facts);
  }
  if (meeting.next == NextStep::stay || arguments.trainer.empty()) return 0;
  return go_on_as_trainer(arguments.trainer, env, log);
}

}  // namespace ddp::agent
