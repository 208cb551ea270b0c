#pragma once

#include <optional>
#include <span>
#include <string>
#include <variant>

#include "ddp/jobenv/error.hpp"
#include "jobenv/agent/head/head.hpp"
#include "jobenv/agent/launchers/agent_launcher.hpp"
#include "jobenv/agent/probe/probe_arguments.hpp"
#include "jobenv/agent/stack/stack_sources.hpp"
#include "jobenv/agent/sweep/sweep_runner.hpp"

namespace ddp::agent {

struct NodeArguments {
  std::string run_dir;
  int node_rank = 0;
  std::optional<int> head_node;  ///< the node rank of head's host; nullopt: not told
  std::optional<int> stdin_fd;   ///< what rank 0 reads as its stdin; nullopt: nothing
};
/// A node agent that is started again when it is killed.
struct KeptNodeArguments {
  NodeArguments node;
};
/// What set-up lines on an ssh host end in.
struct SetUpNodeArguments {
  int result_fd = -1;
};
struct TaskArguments {};
struct GpusArguments {};
struct HelpArguments {};
struct VersionArguments {};
using Arguments = std::variant<HelpArguments, VersionArguments, HeadOptions, NodeArguments, KeptNodeArguments,
                               SetUpNodeArguments, TaskArguments, RemoteArguments, ProbeArguments,
                               SweepOptions, StackOptions, GpusArguments>;

/// `words` are those behind the program's name. The error is ExitCode::usage.
[[nodiscard]] Expected<Arguments> parse_arguments(std::span<const std::string> words);

[[nodiscard]] std::string render_usage();

/// "ddp-agent 1.2.3"
[[nodiscard]] std::string render_version();

}  // namespace ddp::agent
