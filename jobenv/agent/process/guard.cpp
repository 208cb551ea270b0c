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
#include <chrono>
#include <csignal>
#include <map>
#include <string>

#include "jobenv/agent/process/orphans.hpp"
#include "jobenv/agent/process/process_tree.hpp"
#include "jobenv/agent/process/reaper.hpp"
#include "jobenv/record/files/descriptor_table.hpp"

namespace ddp::agent {
namespace {

/// Word of a stop may reach the agent after the signal that ends a process.
constexpr std::chrono::seconds kStopNotice{2};
constexpr int kDesertedPause = 100;  // milliseconds

bool asks_for_stop(int signal) {
  return signal == SIGTERM || signal == SIGINT || signal == SIGHUP || signal == SIGUSR1 || signal == SIGUSR2;
}

/// Whether a process died of a stop, or is a shell whose program did: it ends with 128 and the signal.
bool has_obeyed(int status) {
  if (WIFSIGNALED(status)) return asks_for_stop(WTERMSIG(status));
  return asks_for_stop(WEXITSTATUS(status) - 128);
}

/// A shell goes on when its program dies of the signal. So an end with 0 may be of a stop, too.
bool may_have_obeyed(int status) {
  return has_obeyed(status) || status == 0;
}

class GuardProcess {
 public:
  GuardProcess(const std::vector<GuardedProcess>& processes, int socket, int held)
      : processes_(processes), socket_(socket), held_(held) {}

  [[noreturn]] void run() {
    prepare();
    for (const GuardedProcess& process : processes_) start(process);
    close_descriptors_except(std::array{socket_, signals_.get(), held_});
    while (!running_.empty() || !deserted_.empty()) wait_for_news();
    sweep_until_empty();
    _exit(0);
  }

 private:
  /// A process that has ended, perhaps because of a stop, before its descendants have.
  struct Deserted {
    const GuardedProcess* process;
    pid_t pid;
    int status;
    std::chrono::steady_clock::time_point since;
    bool outlived = false;  ///< descendants were seen after its end
  };

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
      if (process.input >= 0) keep.push_back(process.input);
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
    running_.emplace(pid, &process);
    report({GuardReport::Kind::started, process.id, pid, StartStep::exec});
  }

  void wait_for_news() {
    std::array<pollfd, 2> sources = {pollfd{signals_.get(), POLLIN, 0}, pollfd{socket_, POLLIN, 0}};
    poll(sources.data(), agent_lives_ ? 2 : 1, deserted_.empty() || stops_ ? -1 : kDesertedPause);
    signalfd_siginfo drained{};
    while (read(signals_.get(), &drained, sizeof drained) > 0) continue;
    reap();
    if (agent_lives_ && sources[1].revents != 0) obey();
    look_at_deserted();
  }

  void reap() {
    int status = 0;
    pid_t pid = 0;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
      const auto found = running_.find(pid);
      if (found == running_.end()) continue;  // an orphan that ended by itself
      const GuardedProcess& process = *found->second;
      running_.erase(found);
      if (agent_lives_ && !process.mark.empty() && may_have_obeyed(status))
        deserted_.push_back({&process, pid, status, std::chrono::steady_clock::now()});
      else
        report({GuardReport::Kind::exited, process.id, status});
    }
  }

  [[nodiscard]] std::vector<pid_t> orphans_of(pid_t leader, const GuardedProcess& process) const {
    if (process.mark.empty()) return {};
    std::vector<pid_t> others;
    for (const auto& [pid, running] : running_) others.push_back(pid);
    return find_orphans(leader, process.mark, others);
  }

  void look_at_deserted() {
    const auto now = std::chrono::steady_clock::now();
    std::erase_if(deserted_, [&](Deserted& deserted) {
      const bool is_over = !stops_ && now - deserted.since > kStopNotice;
      if (!is_over && !orphans_of(deserted.pid, *deserted.process).empty()) {
        deserted.outlived = true;
        return false;
      }
      report(last_report_of(deserted));
      return true;
    });
  }

  void obey() {
    GuardCommand command;
    const ssize_t size = recv(socket_, &command, sizeof command, 0);
    if (size == sizeof command) return obey(command);
    agent_lives_ = false;
    send_signal(SIGKILL, GuardCommand::kAll);
  }

  void obey(const GuardCommand& command) {
    if (command.kind == GuardCommand::Kind::ask) return report({GuardReport::Kind::alive});
    stops_ = stops_ || command.kind == GuardCommand::Kind::expect_stop || command.signal != SIGKILL;
    if (command.kind == GuardCommand::Kind::signal) send_signal(command.signal, command.id);
  }

  void send_signal(int signal, int id) {
    const auto is_meant = [id](const GuardedProcess* process) {
      return id == GuardCommand::kAll || id == process->id;
    };
    // Only processes that are not reaped yet: their numbers cannot belong to anybody else.
    for (const auto& [pid, process] : running_) {
      if (!is_meant(process)) continue;
      const auto orphans =
          orphans_of(pid, *process);  // before a shell dies of the signal, and leaves more of them
      send_signal_to_tree(signal, pid);
      for (const pid_t orphan : orphans) kill(orphan, signal);
    }
    std::erase_if(deserted_, [&](const Deserted& deserted) {
      if (!is_meant(deserted.process)) return false;
      const auto orphans = orphans_of(deserted.pid, *deserted.process);
      if (signal == SIGKILL) report_killed(deserted, orphans);
      for (const pid_t pid : orphans) kill(pid, signal);
      return signal == SIGKILL;
    });
  }

  /// A descendant may have a group or a session of its own.
  static void send_signal_to_tree(int signal, pid_t pid) {
    for (const pid_t descendant : process_tree(pid)) {
      if (getpgid(descendant) != pid) kill(descendant, signal);
    }
    if (kill(-pid, signal) != 0 || signal == SIGKILL) kill(pid, signal);
  }

  static GuardReport last_report_of(const Deserted& deserted) {
    GuardReport last{GuardReport::Kind::exited, deserted.process->id, deserted.status};
    last.outlived = deserted.outlived;
    return last;
  }

  /// If the first process has obeyed a stop and the program has not, the rank was killed.
  void report_killed(const Deserted& deserted, const std::vector<pid_t>& orphans) {
    GuardReport last = last_report_of(deserted);
    if (stops_ && has_obeyed(deserted.status) && !orphans.empty()) last.value = W_EXITCODE(0, SIGKILL);
    const std::string names = describe_processes(orphans);
    names.copy(last.killed, sizeof last.killed - 1);
    report(last);
  }

  void report(const GuardReport& report) { send(socket_, &report, sizeof report, MSG_NOSIGNAL); }

  const std::vector<GuardedProcess>& processes_;
  int socket_;
  int held_;
  FileDescriptor signals_;
  std::map<pid_t, const GuardedProcess*> running_;
  std::vector<Deserted> deserted_;
  bool stops_ = false;  ///< somebody has asked the processes to stop
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
