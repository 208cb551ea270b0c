#include "jobenv/agent/notify/notify_call.hpp"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

#include "jobenv/agent/controller/stall_text.hpp"
#include "jobenv/agent/process/lone_process.hpp"
#include "jobenv/agent/process/wait_status.hpp"

namespace ddp::agent {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kKeptOutput = 4096;
/// For a killed process to end: one that waits for a lost file server does not.
constexpr milliseconds kKillPatience{1000};

Expected<FileDescriptor> make_input(const std::string& text) {
  FileDescriptor input(memfd_create("notification", MFD_CLOEXEC));
  if (!input.is_open()) return fail_errno(ExitCode::run_failed, "cannot create its input", errno);
  if (write(input.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    return fail_errno(ExitCode::run_failed, "cannot write its input", errno);
  lseek(input.get(), 0, SEEK_SET);
  return input;
}

}  // namespace

NotifyCall::NotifyCall(EventLoop& loop, GuardedProcess process, const std::string& input, milliseconds limit,
                       OnEnd on_end)
    : loop_(loop), process_(std::move(process)), on_end_(std::move(on_end)) {
  if (const auto started = start(input)) {
    timer_ = loop_.after(limit, [this] { abort(); });
  } else {
    const std::string failure = started.error().message;
    timer_ = loop_.after(milliseconds(0), [this, failure] { tell(std::nullopt, failure); });
  }
}

NotifyCall::~NotifyCall() {
  loop_.forget(watch_);
  loop_.cancel(timer_);
  if (pid_ <= 0) return;
  loop_.forget_child(pid_);
  kill_group();
}

Expected<void> NotifyCall::start(const std::string& input) {
  const auto text = make_input(input);
  if (!text) return tl::unexpected(text.error());
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    return fail_errno(ExitCode::run_failed, "cannot create a pipe", errno);
  output_ = FileDescriptor(ends[0]);
  const FileDescriptor its_output(ends[1]);
  fcntl(output_.get(), F_SETFL, O_NONBLOCK);  // of this end alone: its own may wait
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) != 0)
    return fail_errno(ExitCode::run_failed, "cannot create a socket", errno);
  reports_ = FileDescriptor(ends[0]);
  const FileDescriptor its_reports(ends[1]);
  const auto watch = loop_.watch(output_.get(), EPOLLIN, [this](std::uint32_t) { read_output(); });
  if (!watch) return tl::unexpected(watch.error());
  watch_ = *watch;
  process_.input = text->get();
  process_.output = its_output.get();
  const auto pid = fork_lone_process(process_, its_reports.get());
  if (!pid) return tl::unexpected(pid.error());
  pid_ = *pid;
  loop_.on_exit_of(pid_, [this](int status) { on_exit(status); });
  return {};
}

void NotifyCall::abort() {
  if (pid_ <= 0 || killed_after_) return;
  killed_after_ = elapsed();
  kill_group();
  loop_.cancel(timer_);
  timer_ = loop_.after(kKillPatience, [this] {
    loop_.forget_child(std::exchange(pid_, -1));
    tell(std::nullopt, describe_failure(SIGKILL));
  });
}

void NotifyCall::kill_group() const {
  if (::kill(-pid_, SIGKILL) != 0) ::kill(pid_, SIGKILL);
}

void NotifyCall::read_output() {
  std::array<char, 4096> buffer{};
  ssize_t size = 0;
  // One that prints without end must not keep head here.
  for (int turn = 0; turn < 16 && (size = read(output_.get(), buffer.data(), buffer.size())) > 0; ++turn) {
    said_.append(buffer.data(), static_cast<std::size_t>(size));
    drop_old_output();
  }
  if (size == 0) loop_.forget(watch_);
}

/// Only whole lines: a part of a secret would not be recognized.
void NotifyCall::drop_old_output() {
  const bool is_long = said_.size() > 2 * kKeptOutput;
  if (!skips_line_ && !is_long) return;
  const auto end = said_.find('\n', skips_line_ ? 0 : said_.size() - kKeptOutput);
  skips_line_ = end == std::string::npos;
  said_.erase(0, skips_line_ ? end : end + 1);
}

void NotifyCall::on_exit(int status) {
  ::kill(-std::exchange(pid_, -1), SIGKILL);  // what it has left behind
  read_output();
  read_report();
  const bool well = WIFEXITED(status) && WEXITSTATUS(status) == 0 && !killed_after_;
  tell(status, well ? std::string() : describe_failure(status));
}

void NotifyCall::read_report() {
  GuardReport report;
  if (recv(reports_.get(), &report, sizeof report, 0) == sizeof report &&
      report.kind == GuardReport::Kind::start_failed)
    start_failure_ = describe_start_failure(process_, report.step, report.value);
}

std::string NotifyCall::describe_failure(int status) const {
  if (!start_failure_.empty()) return start_failure_;
  return killed_after_ ? "was killed after " + render_seconds(*killed_after_) : describe_wait_status(status);
}

void NotifyCall::tell(std::optional<int> status, std::string failure) {
  loop_.cancel(timer_);
  const OnEnd on_end = std::move(on_end_);
  const NotifyCallEnd end{status, elapsed(), std::move(failure), std::move(said_)};
  on_end(end);  // nothing of this may be touched after it
}

milliseconds NotifyCall::elapsed() const {
  return std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - began_);
}

}  // namespace ddp::agent
