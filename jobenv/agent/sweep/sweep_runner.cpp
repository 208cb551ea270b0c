#include "jobenv/agent/sweep/sweep_runner.hpp"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include "jobenv/agent/process/child_program.hpp"
#include "jobenv/record/events/events.hpp"
#include "jobenv/record/ledger/cancel_request.hpp"
#include "jobenv/record/ledger/ledger.hpp"

namespace ddp::agent {

SweepRunner::SweepRunner(SweepOptions options, EnvMap environment, Log log)
    : options_(std::move(options)),
      folder_(options_.run_dir),
      environment_(std::move(environment)),
      log_(std::move(log)) {}

int SweepRunner::run() {
  auto loop = EventLoop::create({SIGINT, SIGTERM}, [this](int signal) { on_signal(signal); });
  if (!loop) {
    log_(loop.error().message);
    return static_cast<int>(ExitCode::run_failed);
  }
  loop_ = std::move(*loop);
  if (options_.attached_fd) {
    const auto watch =
        loop_->watch(*options_.attached_fd, EPOLLIN, [this](std::uint32_t) { on_submitter(); });
    if (watch) submitter_watch_ = *watch;
  }
  loop_->after({}, [this] { start_next(); });
  loop_->run();
  return exit_code_;
}

void SweepRunner::start_next() {
  while (true) {
    if (is_cancelled()) stop(static_cast<int>(ExitCode::interrupted));
    if (stopping_ || next_ == options_.points.size()) break;
    const RunFolder point = folder_.point_folder(options_.points[next_++]);
    if (!is_mine(point)) continue;
    const auto head = start_head(point);
    if (head) {
      head_ = *head;
      return loop_->on_exit_of(head_, [this](int status) { on_head_exit(status); });
    }
    log_(point.run_id() + ": " + head.error().message);
    exit_code_ = static_cast<int>(ExitCode::run_failed);
  }
  if (next_ < options_.points.size()) record_stop();
  loop_->quit();
}

/// Whether somebody has cancelled the whole submission. That of a single point is for its head.
bool SweepRunner::is_cancelled() const {
  const auto events = load_ledger(folder_);
  return events && is_cancel_requested(*events, options_.token);
}

/// A point that was cancelled while it waited may have been submitted again.
bool SweepRunner::is_mine(const RunFolder& point) const {
  const auto events = load_ledger(point);
  if (!events) return true;
  const auto newest = std::find_if(events->rbegin(), events->rend(), is<event::SubmitIntent>);
  return newest == events->rend() || as<event::SubmitIntent>(*newest)->token == options_.token;
}

Expected<pid_t> SweepRunner::start_head(const RunFolder& point) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return fail_errno(ExitCode::run_failed, "cannot create a pair of sockets", errno);
  const FileDescriptor head_end(ends[0]);
  attachment_ = FileDescriptor(ends[1]);
  const FileDescriptor log(
      open(point.head_log().c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600));
  if (!log.is_open())
    return fail_errno(ExitCode::run_failed, "cannot open " + point.head_log().string(), errno);
  return spawn({.argv = {std::filesystem::read_symlink("/proc/self/exe"), "head", "--run-dir", point.root(),
                         "--attached-fd", std::to_string(head_end.get())},
                .environment = environment_,
                .output = log.get(),
                .errors = log.get(),
                .inherited = head_end.get()});
}

void SweepRunner::on_head_exit(int status) {
  head_ = -1;
  hand_on_last_words();
  attachment_ = {};
  const bool succeeded = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (!succeeded && !stopping_) exit_code_ = static_cast<int>(ExitCode::run_failed);
  start_next();
}

/// What a head could not write to its run folder.
void SweepRunner::hand_on_last_words() {
  std::array<char, 1024> words{};
  const auto size = recv(attachment_.get(), words.data(), words.size(), MSG_DONTWAIT);
  if (size <= 0) return;
  const std::string line = "point " + std::to_string(options_.points[next_ - 1]) + ": " +
                           std::string(words.data(), static_cast<std::size_t>(size));
  log_(line);
  if (options_.attached_fd)
    (void)send(*options_.attached_fd, line.data(), line.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

/// A second one is the head's, too: it then kills at once.
void SweepRunner::on_signal(int signal) {
  stop(128 + signal);
  if (head_ > 0) kill(head_, signal);
}

void SweepRunner::on_submitter() {
  char byte = 0;
  const ssize_t size = read(*options_.attached_fd, &byte, 1);
  if (size > 0 || (size < 0 && (errno == EAGAIN || errno == EINTR))) return;
  loop_->forget(submitter_watch_);
  stop(static_cast<int>(ExitCode::terminated));
  attachment_ = {};
}

void SweepRunner::stop(int exit_code) {
  if (stopping_) return;
  stopping_ = true;
  exit_code_ = exit_code;
}

void SweepRunner::record_stop() {
  auto ledger = LedgerWriter::open(folder_, "sweep-" + options_.token);
  const auto recorded =
      !ledger ? tl::unexpected(ledger.error())
              : ledger->append(event::SweepStopped{.token = options_.token,
                                                   .message = "not started because the sweep was cancelled"});
  if (!recorded) log_(recorded.error().message);
}

}  // namespace ddp::agent
