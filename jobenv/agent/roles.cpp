#include "jobenv/agent/roles.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "jobenv/agent/connection/head_address.hpp"
#include "jobenv/agent/launchers/agent_launcher.hpp"
#include "jobenv/agent/launchers/point_folder.hpp"
#include "jobenv/agent/node/agent_session.hpp"
#include "jobenv/agent/node/keeper.hpp"
#include "jobenv/agent/probe/probe.hpp"
#include "jobenv/agent/process/descriptor_limit.hpp"
#include "jobenv/agent/process/gpu_load.hpp"
#include "jobenv/agent/process/shell_state.hpp"
#include "jobenv/record/fields/object_form.hpp"
#include "jobenv/record/files/file_descriptor.hpp"
#include "jobenv/record/plan/plan_file.hpp"

namespace ddp::agent {
namespace {

Expected<NodeAgentSettings> make_settings(const std::string& run_dir, const EnvMap& env) {
  const auto plan = load_plan(RunFolder(run_dir));
  if (!plan) return tl::unexpected(plan.error());
  return NodeAgentSettings{*plan, env, resolve_host_name(*plan, env), {}, std::nullopt};
}

Expected<NodeAgentSettings> settings_of(const TaskArguments&, const EnvMap& env) {
  const auto run_dir = env.get(kHeadRunDir);
  if (!run_dir)
    return fail(ExitCode::usage, std::string(kHeadRunDir) + " is not set",
                "this role is started by 'ddp-agent head'");
  auto settings = make_settings(*run_dir, env);
  if (!settings) return settings;
  const auto launcher = find_agent_launcher(settings->plan);
  if (!launcher) return tl::unexpected(launcher.error());
  if ((*launcher)->find_rank == nullptr)
    return fail(ExitCode::usage, "launcher '" + settings->plan.launcher + "' starts no agent for each rank");
  const auto rank = (*launcher)->find_rank(env);
  if (!rank) return tl::unexpected(rank.error());
  settings->ranks = {*rank};
  return settings;
}

Expected<NodeAgentSettings> settings_of(const NodeArguments& arguments, const EnvMap& env) {
  auto settings = make_settings(arguments.run_dir, env);
  if (!settings) return settings;
  if (arguments.node_rank >= settings->plan.nodes)
    return fail(ExitCode::usage, "the run has no node " + std::to_string(arguments.node_rank));
  settings->host = resolve_host_name(settings->plan, env, arguments.node_rank);
  settings->ranks = layout_of(settings->plan).places_on(arguments.node_rank);
  settings->input = arguments.stdin_fd.value_or(-1);
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

int run_head(HeadOptions options, const EnvMap& env, const std::function<void(const std::string&)>& log) {
  const auto run_dir = resolve_point_folder(options.run_dir, env);
  if (!run_dir) {
    log(run_dir.error().message);
    return static_cast<int>(run_dir.error().code);
  }
  options.run_dir = *run_dir;
  return Head(std::move(options), env, log).run();
}

/// For the agent that has started this process. Names of functions and files may be in any encoding.
int print_json(const nlohmann::json& json) {
  const auto text = json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  return write_all(STDOUT_FILENO, text) == 0 ? 0 : static_cast<int>(ExitCode::run_failed);
}

int print_stack(const StackOptions& options, const EnvMap& env) {
  return print_json(ObjectForm<RankStack>{"stack"}.render(take_stack(options, env)));
}

int serve_host(const RemoteArguments& arguments, const EnvMap& env,
               const std::function<void(const std::string&)>& log) {
  for (const auto* launcher : all_agent_launchers()) {
    if (launcher->serve_host != nullptr) return launcher->serve_host(arguments, env);
  }
  log("no launcher of this ddp-agent starts runs on other hosts");
  return static_cast<int>(ExitCode::usage);
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
          [&](const RemoteArguments& remote) { return serve_host(remote, env, log); },
          [&](const GpusArguments&) { return print_json(to_json(load_gpus())); },
          [&](const StackOptions& options) { return print_stack(options, env); },
          [&](const SweepOptions& options) { return SweepRunner(options, env, log).run(); },
          [&](const auto& agent) { return run_agent(agent, env, log); }},
      arguments);
}

}  // namespace ddp::agent
