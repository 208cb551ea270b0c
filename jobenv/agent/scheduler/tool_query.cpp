#include "jobenv/agent/scheduler/tool_query.hpp"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "jobenv/agent/process/child_program.hpp"

namespace ddp::agent {
namespace {

/// What is longer is no answer to the questions that are asked.
constexpr std::size_t kLongestAnswer = 1 << 20;

}  // namespace

ToolQuery::ToolQuery(EventLoop& loop, std::vector<std::string> argv, const EnvMap& environment,
                     OnAnswer on_answer)
    : loop_(loop), on_answer_(std::move(on_answer)) {
  if (start(std::move(argv), environment)) return;
  failure_ = loop_.after(std::chrono::milliseconds(0), [this] { tell(); });
}

ToolQuery::~ToolQuery() {
  loop_.forget(watch_);
  loop_.cancel(failure_);
  if (tool_ > 0) loop_.forget_child(tool_);
}

Expected<void> ToolQuery::start(std::vector<std::string> argv, const EnvMap& environment) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0)
    return fail_errno(ExitCode::run_failed, "cannot create a pipe", errno);
  pipe_ = FileDescriptor(ends[0]);
  const FileDescriptor tools_end(ends[1]);
  const auto watch = loop_.watch(pipe_.get(), EPOLLIN, [this](std::uint32_t) { read_output(); });
  if (!watch) return tl::unexpected(watch.error());
  watch_ = *watch;
  const auto pid = spawn({.argv = std::move(argv),
                          .environment = environment,
                          .output = tools_end.get(),
                          .errors = tools_end.get(),
                          .blocked_signals = {SIGTERM}});
  if (!pid) return tl::unexpected(pid.error());
  tool_ = *pid;
  loop_.on_exit_of(tool_, [this](int status) { on_exit(status); });
  return {};
}

void ToolQuery::read_output() {
  std::array<char, 4096> buffer{};
  ssize_t size = 0;
  while ((size = read(pipe_.get(), buffer.data(), buffer.size())) > 0) {
    if (answer_.text.size() <= kLongestAnswer)
      answer_.text.append(buffer.data(), static_cast<std::size_t>(size));
  }
  if (size == 0) loop_.forget(watch_);
}

void ToolQuery::on_exit(int status) {
  tool_ = -1;
  read_output();
  answer_.succeeded = WIFEXITED(status) && WEXITSTATUS(status) == 0 && answer_.text.size() <= kLongestAnswer;
  tell();
}

void ToolQuery::tell() {
  const OnAnswer on_answer = std::move(on_answer_);
  const ToolAnswer answer = std::move(answer_);
  on_answer(answer);  // nothing of this may be touched after it
}

}  // namespace ddp::agent
