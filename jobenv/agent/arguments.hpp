#pragma once

#include <optional>
#include <span>
#include <string>
#include <variant>

#include "ddp/jobenv/error.hpp"
#include "jobenv/agent/head.hpp"

namespace ddp::agent {

struct NodeArguments {
  std::string run_dir;
  int node_rank = 0;
};
struct TaskArguments {};
struct HelpArguments {};
using Arguments = std::variant<HelpArguments, HeadOptions, NodeArguments, TaskArguments>;

/// `words` are those behind the program's name. The error is ExitCode::usage.
[[nodiscard]] Expected<Arguments> parse_arguments(std::span<const std::string> words);

[[nodiscard]] std::string render_usage();

}  // namespace ddp::agent
