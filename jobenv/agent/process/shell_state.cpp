#include "jobenv/agent/process/shell_state.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <sstream>

namespace ddp::agent {
namespace {

constexpr std::string_view kMask = "umask ";
constexpr std::string_view kLimit = "limit ";

/// "limit 7 1024 4096": the resource, its soft and its hard limit.
void read_limit(std::string_view text, ShellState& state) {
  std::istringstream words{std::string(text)};
  int resource = 0;
  rlimit limit{};
  if (words >> resource >> limit.rlim_cur >> limit.rlim_max) state.limits[resource] = limit;
}

/// Names of variables hold no blank, so none is taken for another kind of entry.
void read_entry(std::string_view entry, ShellState& state) {
  if (entry.starts_with(kMask)) {
    std::istringstream(std::string(entry.substr(kMask.size()))) >> state.file_mask;
  } else if (entry.starts_with(kLimit)) {
    read_limit(entry.substr(kLimit.size()), state);
  } else if (const auto equals = entry.find('='); equals != std::string_view::npos) {
    state.environment.set(std::string(entry.substr(0, equals)), std::string(entry.substr(equals + 1)));
  }
}

}  // namespace

ShellState capture_shell_state(const EnvMap& environment) {
  ShellState state{.environment = environment, .file_mask = umask(0), .limits = {}};
  umask(state.file_mask);
  for (int resource = 0; resource < RLIM_NLIMITS; ++resource) {
    rlimit limit{};
    if (getrlimit(static_cast<__rlimit_resource_t>(resource), &limit) == 0) state.limits[resource] = limit;
  }
  return state;
}

std::string render_shell_state(const ShellState& state) {
  std::ostringstream text;
  text << kMask << state.file_mask << '\0';
  for (const auto& [resource, limit] : state.limits)
    text << kLimit << resource << ' ' << limit.rlim_cur << ' ' << limit.rlim_max << '\0';
  for (const std::string& entry : state.environment.entries()) text << entry << '\0';
  text << '\0';
  return text.str();
}

bool is_whole_shell_state(std::string_view text) {
  return text.ends_with(std::string_view("\0\0", 2));
}

ShellState parse_shell_state(std::string_view text) {
  ShellState state;
  while (!text.empty()) {
    const std::string_view entry = text.substr(0, text.find('\0'));
    read_entry(entry, state);
    text.remove_prefix(std::min(entry.size() + 1, text.size()));
  }
  return state;
}

void take_over(const ShellState& state) {
  umask(state.file_mask);
  for (const auto& [resource, limit] : state.limits) {
    if (resource != RLIMIT_NOFILE) (void)setrlimit(static_cast<__rlimit_resource_t>(resource), &limit);
  }
}

}  // namespace ddp::agent
