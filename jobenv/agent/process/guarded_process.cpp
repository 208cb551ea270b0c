#include "jobenv/agent/process/guarded_process.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "jobenv/record/exec_strings.hpp"
#include "jobenv/record/program_path.hpp"

namespace ddp::agent {
namespace {

constexpr int kExitNotFound = 127;
constexpr int kExitNotStarted = 126;

[[noreturn]] void give_up(const GuardedProcess& process, int report_socket, StartStep step, int errno_value) {
  const GuardReport report{GuardReport::Kind::start_failed, process.id, errno_value, step};
  // The datagram is sent before this process ends, so the agent reads it before the guard's word of the exit.
  send(report_socket, &report, sizeof report, MSG_NOSIGNAL);
  _exit(step == StartStep::exec && errno_value == ENOENT ? kExitNotFound : kExitNotStarted);
}

bool redirect(const char* path, int flags, int target) {
  const int file = open(path, flags | O_CLOEXEC, 0600);
  if (file < 0) return false;
  const bool done = dup2(file, target) == target;
  close(file);
  return done;
}

/// Refuses a log that is not a regular file, such as a FIFO, without waiting for it.
bool redirect_to_log(const char* path, int target) {
  struct stat status {};
  if (!redirect(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK, target) || fstat(target, &status) != 0)
    return false;
  if (!S_ISREG(status.st_mode)) {
    errno = ENXIO;
    return false;
  }
  return fcntl(target, F_SETFL, O_WRONLY | O_APPEND) == 0;
}

bool redirect_input(const GuardedProcess& process) {
  if (process.input < 0) return redirect("/dev/null", O_RDONLY, STDIN_FILENO);
  return dup2(process.input, STDIN_FILENO) == STDIN_FILENO;
}

bool redirect_output(const GuardedProcess& process) {
  if (process.output < 0)
    return redirect_to_log(process.out.c_str(), STDOUT_FILENO) &&
           redirect_to_log(process.err.c_str(), STDERR_FILENO);
  return dup2(process.output, STDOUT_FILENO) == STDOUT_FILENO &&
         dup2(process.output, STDERR_FILENO) == STDERR_FILENO;
}

bool redirect_standard_streams(const GuardedProcess& process) {
  return redirect_input(process) && redirect_output(process);
}

void reset_signals(const std::vector<int>& blocked) {
  for (int signal = 1; signal <= SIGRTMAX; ++signal) std::signal(signal, SIG_DFL);
  sigset_t mask;
  sigemptyset(&mask);
  for (const int signal : blocked) sigaddset(&mask, signal);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
}

/// Tries the candidates as execvp does, but never falls back to a shell. Returns the errno that tells most.
int execute(const GuardedProcess& process) {
  const std::vector<char*> argv = pointers_to(process.argv);
  const std::vector<char*> environment = pointers_to(process.environment);
  int worst = ENOENT;
  for (const std::string& program : process.programs) {
    execve(program.c_str(), argv.data(), environment.data());
    if (errno == EACCES) worst = EACCES;
    if (errno != EACCES && errno != ENOENT && errno != ENOTDIR) return errno;
  }
  return worst;
}

}  // namespace

void become(const GuardedProcess& process, pid_t guard, int report_socket) {
  // PDEATHSIG covers the guard's death from here on; a death before shows in the parent's number.
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (getppid() != guard) _exit(kExitNotStarted);
  setpgid(0, 0);
  if (!redirect_standard_streams(process)) give_up(process, report_socket, StartStep::output, errno);
  if (chdir(process.work_dir.c_str()) != 0) give_up(process, report_socket, StartStep::work_dir, errno);
  for (const int descriptor : process.inherited) {
    if (fcntl(descriptor, F_SETFD, 0) != 0) give_up(process, report_socket, StartStep::inherit, errno);
  }
  if (process.tracer > 0) prctl(PR_SET_PTRACER, process.tracer, 0, 0, 0);  // fails where Yama is not there
  if (process.descriptor_limit) setrlimit(RLIMIT_NOFILE, &*process.descriptor_limit);
  reset_signals(process.blocked_signals);
  give_up(process, report_socket, StartStep::exec, execute(process));
}

namespace {

/// What the first line of a script names, behind "#!", and is not there. Empty: it is there, or there is no
/// script.
std::string find_missing_interpreter(const GuardedProcess& process) {
  const auto in_folder = [&](const std::string& file) {
    return std::filesystem::path(process.work_dir) / file;
  };
  const auto script = std::ranges::find_if(process.programs,
                                           [&](const auto& file) { return is_executable(in_folder(file)); });
  if (script == process.programs.end()) return {};
  std::ifstream file(in_folder(*script), std::ios::binary);
  std::string line;
  if (!std::getline(file, line) || !line.starts_with("#!")) return {};
  const std::size_t begin = std::min(line.find_first_not_of(" \t", 2), line.size());
  const auto interpreter = line.substr(begin, line.find_first_of(" \t", begin) - begin);
  std::error_code error;
  return std::filesystem::exists(interpreter, error) ? std::string() : interpreter;
}

}  // namespace

std::string describe_start_failure(const GuardedProcess& process, StartStep step, int errno_value) {
  const std::string reason = std::string(": ") + std::strerror(errno_value);
  switch (step) {
    case StartStep::fork:
      return "cannot fork a process" + reason;
    case StartStep::work_dir:
      return "cannot enter the folder '" + process.work_dir + "'" + reason;
    case StartStep::output:
      return "cannot open the log '" + process.out + "' or '" + process.err + "'" + reason;
    case StartStep::inherit:
      return "cannot pass a descriptor on" + reason;
    case StartStep::exec:
      break;
  }
  const auto interpreter = errno_value == ENOENT ? find_missing_interpreter(process) : std::string();
  if (interpreter.empty()) return "cannot start '" + process.argv.front() + "'" + reason;
  const bool of_windows = interpreter.ends_with('\r');
  return "cannot start '" + process.argv.front() + "': the interpreter '" +
         (of_windows ? interpreter.substr(0, interpreter.size() - 1) + "\\r" : interpreter) +
         "' does not exist" + (of_windows ? ": the file has the line ends of Windows" : "");
}

}  // namespace ddp::agent
