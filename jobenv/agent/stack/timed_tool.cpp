#include "jobenv/agent/stack/timed_tool.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>

#include "jobenv/agent/process/child_program.hpp"
#include "jobenv/record/files/file_descriptor.hpp"
#include "jobenv/record/program_path.hpp"

namespace ddp::agent {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kLongestText = 1 << 20;

/// Until the end of what is written there; false: the deadline, or too much.
bool read_until(int pipe, Clock::time_point deadline, std::string& text) {
  while (text.size() < kLongestText) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd wanted{pipe, POLLIN, 0};
    if (left <= 0 || poll(&wanted, 1, static_cast<int>(left)) == 0) return false;
    std::array<char, 4096> part{};
    const auto size = read(pipe, part.data(), part.size());
    if (size <= 0) return size == 0;
    text.append(part.data(), static_cast<std::size_t>(size));
  }
  return false;
}

std::optional<std::string> find_executable(const std::string& name, const std::string& path) {
  for (auto& file : find_programs(name, path)) {
    if (file.starts_with('/') && is_executable(file)) return std::move(file);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> run_timed(std::vector<std::string> argv, const EnvMap& environment,
                                     Clock::time_point deadline) {
  const auto path = environment.get("PATH").value_or(kDefaultPath);
  auto program = find_executable(argv.front(), path);
  if (!program) return std::nullopt;
  argv.front() = std::move(*program);
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  const FileDescriptor output(ends[0]);
  FileDescriptor tools_end(ends[1]);
  const auto tool = spawn({.argv = std::move(argv),
                           .environment = environment,
                           .output = tools_end.get(),
                           .errors = tools_end.get()});
  if (!tool) return std::nullopt;
  tools_end = FileDescriptor();
  std::string text;
  if (!read_until(output.get(), deadline, text)) kill(-*tool, SIGKILL);  // it has a session of its own
  int status = 0;
  while (waitpid(*tool, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return std::nullopt;
  return text;
}

}  // namespace ddp::agent
