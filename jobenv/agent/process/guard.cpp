#include "jobenv/agent/process/guard.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <map>

#include "jobenv/agent/process/reaper.hpp"
#include "jobenv/record/files/descriptor_table.hpp"

namespace ddp::agent {
namespace {

class GuardProcess {
 public:
  GuardProcess(const std::vector<GuardedProcess>& processes, int socket, int held)
      : processes_(processes), socket_(socket), held_(held) {}

  [[noreturn]] void run() {
    prepare();
    for (const GuardedProcess& process : processes_) start(process);
    close_descriptors_except(std::array{socket_, signals_.get(), held_});
    while (!running_.empty()) wait_for_news();
    sweep_until_empty();
    _exit(0);
  }

 private:
  void prepare() {
    become_subreaper();
    prctl(PR_SET_NAME, "ddp-guard", 0, 0, 0);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, nullptr);
    // Copies of the agent's sockets would hide its death from their other ends.
    std::vector<int> keep = {socket_, held_};
    for (const GuardedProcess& process : processes_) {
      keep.insert(keep.end(), process.inherited.begin(), process.inherited.end());
    }
    close_descriptors_except(keep);
    sigset_t child_ended;
    sigemptyset(&child_ended);
    sigaddset(&child_ended, SIGCHLD);
    signals_ = FileDescriptor(signalfd(-1, &child_ended, SFD_CLOEXEC | SFD_NONBLOCK));
  }

  void start(const GuardedProcess& process) {
    const pid_t self = getpid();
    const pid_t pid = fork();
    if (pid == 0) become(process, self, socket_);
    if (pid < 0) {
      report({GuardReport::Kind::start_failed, process.id, errno, StartStep::fork});
      report({GuardReport::Kind::exited, process.id, W_EXITCODE(126, 0), StartStep::fork});
      return;
    }
    setpgid(pid,
            pid);  // in both processes: whoever comes first, the group exists before a signal is sent to it
    running_.emplace(pid, process.id);
    report({GuardReport::Kind::started, process.id, pid, StartStep::exec});
  }

  void wait_for_news() {
    std::array<pollfd, 2> sources = {pollfd{signals_.get(), POLLIN, 0}, pollfd{socket_, POLLIN, 0}};
    poll(sources.data(), agent_lives_ ? 2 : 1, -1);
    signalfd_siginfo drained{};
    while (read(signals_.get(), &drained, sizeof drained) > 0) continue;
    reap();
    if (agent_lives_ && sources[1].revents != 0) obey();
  }

  void reap() {
    int status = 0;
    pid_t pid = 0;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
      const auto found = running_.find(pid);
      if (found == running_.end()) continue;  // an orphan that ended by itself
      report({GuardReport::Kind::exited, found->second, status, StartStep::exec});
      running_.erase(found);
    }
  }

  void obey() {
    GuardCommand command;
    const ssize_t size = recv(socket_, &command, sizeof command, 0);
    if (size == sizeof command && command.signal == 0) return report({GuardReport::Kind::alive});
    if (size == sizeof command) return signal_all(command.signal);
    agent_lives_ = false;
    signal_all(SIGKILL);
  }

  /// Only ranks that are not reaped yet: their numbers cannot belong to anybody else.
  void signal_all(int signal) {
    for (const auto& [pid, id] : running_) {
      if (kill(-pid, signal) != 0 || signal == SIGKILL) kill(pid, signal);
    }
  }

  void report(const GuardReport& report) { send(socket_, &report, sizeof report, MSG_NOSIGNAL); }

  const std::vector<GuardedProcess>& processes_;
  int socket_;
  int held_;
  FileDescriptor signals_;
  std::map<pid_t, int> running_;
  bool agent_lives_ = true;
};

}  // namespace

Expected<Guard> fork_guard(const std::vector<GuardedProcess>& processes, int held) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return fail_errno(ExitCode::run_failed, "cannot create a socket for the guard", errno);
  }
  Guard guard{-1, FileDescriptor(ends[0])};
  const FileDescriptor guards_end(ends[1]);
  fcntl(guard.socket.get(), F_SETFL, O_NONBLOCK);
  become_subreaper();
  guard.pid = fork();
  if (guard.pid < 0) return fail_errno(ExitCode::run_failed, "cannot fork a guard", errno);
  if (guard.pid == 0) GuardProcess(processes, guards_end.get(), held).run();
  return guard;
}

}  // namespace ddp::agent
