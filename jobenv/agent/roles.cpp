#include "jobenv/agent/roles.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iostream>

#include "ddp/jobenv/job_environment.hpp"
#include "jobenv/agent/connection/head_address.hpp"
#include "jobenv/agent/launchers/agent_launcher.hpp"
#include "jobenv/agent/launchers/ssh/service/remote_service.hpp"
#include "jobenv/agent/node/agent_session.hpp"
#include "jobenv/agent/node/keeper.hpp"
#include "jobenv/agent/probe/probe.hpp"
#include "jobenv/agent/process/descriptor_limit.hpp"
#include "jobenv/agent/process/shell_state.hpp"
#include "jobenv/record/plan_file.hpp"

namespace ddp::agent {
namespace {

Expected<NodeAgentSettings> make_settings(const std::string& run_dir, const EnvMap& env) {
  const auto plan = load_plan(RunFolder(run_dir));
  if (!plan) return tl::unexpected(plan.error());
  return NodeAgentSettings{*plan, env, resolve_host_name(*plan, env), {}, std::nullopt};
}

/// As /proc knows it, whatever the name was that it was started under.
std::string own_program() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error);
}

Expected<NodeAgentSettings> settings_of(const TaskArguments&, const EnvMap& env) {
  const auto job = JobEnvironment::from_slurm_step(env);
  if (!job) return tl::unexpected(job.error());
  auto settings = make_settings(env.get(kHeadRunDir).value_or(""), env);
  if (settings) settings->ranks = {{job->rank, job->local_rank, job->node_rank}};
  return settings;
}

Expected<NodeAgentSettings> settings_of(const NodeArguments& arguments, const EnvMap& env) {
  auto settings = make_settings(arguments.run_dir, env);
  if (!settings) return settings;
  if (arguments.node_rank >= settings->plan.nodes)
    return fail(ExitCode::usage, "the run has no node " + std::to_string(arguments.node_rank));
  settings->host = resolve_host_name(settings->plan, env, arguments.node_rank);
  settings->ranks = layout_of(settings->plan).places_on(arguments.node_rank);
  if (!settings->plan.shared_folder && arguments.head_node != arguments.node_rank)
    settings->records = RecordsPlace::own_folder;
  return settings;
}

template <class RoleArguments>
int run_agent(const RoleArguments& arguments, const EnvMap& env,
              const std::function<void(const std::string&)>& log) {
  auto settings = settings_of(arguments, env);
  if (!settings) {
    log(settings.error().message);
    return static_cast<int>(settings.error().code);
  }
  settings->descriptor_limit = raise_descriptor_limit();
  return AgentSession(std::move(*settings), log).run();
}

/// What the lines have started in the background lives as long as this process does.
int hold_setup(const SetUpNodeArguments& arguments, const EnvMap& env) {
  std::string text = render_shell_state(capture_shell_state(env));
  while (!text.empty()) {
    const ssize_t size = write(arguments.result_fd, text.data(), text.size());
    if (size < 0 && errno != EINTR) return static_cast<int>(ExitCode::usage);
    text.erase(0, static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  }
  while (true) pause();
}

/// As the plan of the first point has it; where that cannot be read, the one whose jobs can hold several
/// points.
const AgentLauncher* find_launcher_of_sweep(const RunFolder& sweep) {
  const auto plan = load_plan(sweep.point_folder(0));
  if (plan) return find_agent_launcher(*plan).value_or(nullptr);
  for (const auto* launcher : all_agent_launchers()) {
    if (launcher->find_point != nullptr) return launcher;
  }
  return nullptr;
}

/// A job that holds several points of a sweep starts head with the folder of the sweep.
Expected<std::filesystem::path> resolve_point(const std::filesystem::path& run_dir, const EnvMap& env) {
  const RunFolder folder(run_dir);
  std::error_code error;
  if (!std::filesystem::exists(folder.sweep_record(), error)) return run_dir;
  const auto* launcher = find_launcher_of_sweep(folder);
  if (launcher == nullptr || launcher->find_point == nullptr)
    return fail(ExitCode::config_invalid, "the folder is that of a sweep, of which head runs one point");
  return launcher->find_point(env).map([&](int point) { return folder.point_folder(point).root(); });
}

int run_head(HeadOptions options, const EnvMap& env, const std::function<void(const std::string&)>& log) {
  const auto run_dir = resolve_point(options.run_dir, env);
  if (!run_dir) {
    log(run_dir.error().message);
    return static_cast<int>(run_dir.error().code);
  }
  options.run_dir = *run_dir;
  return Head(std::move(options), env, log).run();
}

}  // namespace

int run_role(const Arguments& arguments, const EnvMap& env,
             const std::function<void(const std::string&)>& log) {
  return std::visit(
      Overloaded{
          [](const HelpArguments&) { return 0; }, [](const VersionArguments&) { return 0; },
          [&](const ProbeArguments& probe) { return run_probe(probe, env, log); },
          [&](const HeadOptions& options) { return run_head(options, env, log); },
          [&](const KeptNodeArguments& kept) { return keep([&] { return run_agent(kept.node, env, log); }); },
          [&](const SetUpNodeArguments& setup) { return hold_setup(setup, env); },
          [&](const RemoteArguments& remote) {
            const auto service = OwnFolder::open(remote.folder).map([&](OwnFolder folder) {
              return RemoteService(env, own_program(), std::move(folder), std::cin);
            });
            return serve_remote(service, remote.marker, std::cin);
          },
          [&](const SweepOptions& options) { return SweepRunner(options, env, log).run(); },
          [&](const auto& agent) { return run_agent(agent, env, log); }},
      arguments);
}

}  // namespace ddp::agent
