#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

#include "ddp/jobenv/env_map.hpp"
#include "jobenv/agent/arguments.hpp"
#include "jobenv/agent/roles.hpp"
#include "jobenv/record/files/descriptor_table.hpp"

int main(int argc, char** argv) {
  using namespace ddp::agent;
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // past a limit of the size of files a write fails, and is told
  std::signal(SIGCHLD, SIG_DFL);  // ignored by whoever started this, it would hide how children end
  ddp::fill_standard_descriptors();
  ddp::close_all_on_exec();
  const auto arguments = parse_arguments(std::vector<std::string>(argv + 1, argv + argc));
  if (!arguments) {
    std::fprintf(stderr, "ddp-agent: %s\n%s\n", arguments.error().message.c_str(),
                 arguments.error().hint.c_str());
    return static_cast<int>(arguments.error().code);
  }
  if (std::holds_alternative<HelpArguments>(*arguments)) std::fputs(render_usage().c_str(), stdout);
  if (std::holds_alternative<VersionArguments>(*arguments)) std::fputs(render_version().c_str(), stdout);
  return run_role(*arguments, ddp::EnvMap::capture(),
                  [](const std::string& line) { std::fprintf(stderr, "ddp-agent: %s\n", line.c_str()); });
}
