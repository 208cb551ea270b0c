#include "cli/system/command_runner.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstring>

// Since 1.86, Boost has what is used here under v1, and its newest versions nowhere else.
#if __has_include(<boost/process/v1/child.hpp>)
#include <boost/process/v1/args.hpp>
#include <boost/process/v1/child.hpp>
#include <boost/process/v1/error.hpp>
#include <boost/process/v1/exe.hpp>
#include <boost/process/v1/extend.hpp>
namespace process = boost::process::v1;
#else
#include <boost/process/args.hpp>
#include <boost/process/child.hpp>
#include <boost/process/error.hpp>
#include <boost/process/exe.hpp>
#include <boost/process/extend.hpp>
namespace process = boost::process;
#endif

#include "cli/system/pipe.hpp"
#include "jobenv/record/exec_strings.hpp"
#include "jobenv/record/files/descriptor_table.hpp"
#include "jobenv/record/process_descriptor.hpp"

namespace ddp::cli {
namespace {

using std::chrono::steady_clock;

constexpr int kSetUpFailed = 126;

enum class Session { same, group, own };

struct ChildSetup {
  std::array<int, 3> standard{};  // becomes descriptors 0, 1, 2
  Session session = Session::same;
  std::string folder = {};
  std::vector<int> inherited = {};
  EndOfCaller end_of_caller = EndOfCaller::spares;
};

// on_exec_setup runs in the child between fork and exec: little but system calls there.
struct SetUpChild : process::extend::handler {
  ChildSetup setup;
  std::vector<char*> environment;  // as execve takes it
  SetUpChild(ChildSetup child, std::vector<char*> variables)
      : setup(std::move(child)), environment(std::move(variables)) {}

  // Boost's own environment is made anew for each variable that it is given.
  template <class Executor>
  void on_setup(Executor& executor) const {
    executor.env = const_cast<char**>(environment.data());
  }

  template <class Executor>
  void on_exec_setup(Executor& executor) const {
    bool fine = setup.folder.empty() || chdir(setup.folder.c_str()) == 0;
    if (setup.session == Session::group) fine = fine && setpgid(0, 0) == 0;
    if (setup.session == Session::own) fine = fine && setsid() >= 0;
    for (int target = 0; target < 3; ++target) {
      fine = fine && dup2(setup.standard[static_cast<std::size_t>(target)], target) == target;
    }
    if (setup.end_of_caller == EndOfCaller::kills) fine = fine && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0;
    if (fine) close_all_on_exec();
    for (const int descriptor : setup.inherited) fine = fine && fcntl(descriptor, F_SETFD, 0) == 0;
    if (!fine) {
      executor.set_error(std::error_code(errno, std::system_category()), "cannot prepare the process");
      _exit(kSetUpFailed);  // set_error only tells the parent
    }
    reset_signals();
  }

  static void reset_signals() {
    for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
  }
};

Expected<process::child> start(const std::vector<std::string>& argv, const EnvMap& environment,
                               ChildSetup setup) {
  const auto program = resolve_program(argv.at(0), environment);
  if (!program) return tl::unexpected(program.error());
  const std::vector<std::string> arguments(argv.begin() + 1, argv.end());
  const std::vector<std::string> entries = environment.entries();
  std::error_code error;
  errno = 0;
  process::child child(process::exe = program->string(), process::args = arguments,
                       SetUpChild(std::move(setup), pointers_to(entries)), error);
  // Boost.Process 1.74 gives no error, and no process, when it cannot make its pipe.
  if (error || child.id() <= 0)
    return fail_errno(ExitCode::run_failed, "cannot start '" + argv[0] + "'", error ? error.value() : errno);
  return child;
}

enum class ReadEnd { more, end };

ReadEnd read_some(int descriptor, std::string& text) {
  std::array<char, 16384> buffer;
  const ssize_t count = read(descriptor, buffer.data(), buffer.size());
  if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
  return count > 0 || (count < 0 && errno == EINTR) ? ReadEnd::more : ReadEnd::end;
}

int remaining_ms(steady_clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - steady_clock::now()).count();
  return static_cast<int>(std::max<std::int64_t>(left, 0));
}

constexpr int kLookMilliseconds = 20;  // for an end that no descriptor tells

bool has_ended(int pid) {
  siginfo_t end{};
  return waitid(P_PID, static_cast<id_t>(pid), &end, WEXITED | WNOHANG | WNOWAIT) == 0 && end.si_pid == pid;
}

/// Reads both streams until the program has ended (its descendants may keep the pipes open) or the deadline.
class Capture {
 public:
  /// `watched`: stdout, stderr, the process `pid`, and what stops it early. -1 for the process: no descriptor
  /// tells its end.
  Capture(std::array<int, 4> watched, int pid, std::size_t output_limit,
          std::function<void(std::string_view)> on_error_line)
      : watched_{{{watched[0], POLLIN, 0},
                  {watched[1], POLLIN, 0},
                  {watched[2], POLLIN, 0},
                  {watched[3], POLLIN, 0}}},
        pid_(pid),
        output_limit_(output_limit),
        on_error_line_(std::move(on_error_line)) {}

  /// False when the deadline came first, or the stop, or more of stdout than the limit.
  bool until(steady_clock::time_point deadline, CommandResult& result) {
    const bool is_told = watched_[2].fd >= 0;
    for (bool ended = false; !ended;) {
      const int left = remaining_ms(deadline);
      const int ready =
          poll(watched_.data(), watched_.size(), is_told ? left : std::min(left, kLookMilliseconds));
      ended = is_told ? (watched_[2].revents & POLLIN) != 0 : has_ended(pid_);
      if (ready == 0 && !ended && (is_told || left == 0)) return false;
      if (!ended && (watched_[3].revents & POLLIN) != 0) return false;
      read_ready(result);
      if (result.cut) return false;
    }
    while (!result.cut && poll(watched_.data(), 2, 0) > 0) read_ready(result);
    return !result.cut;
  }

 private:
  void read_ready(CommandResult& result) {
    read_stream(watched_[0], result.out);
    result.cut = result.out.size() > output_limit_;
    if (result.cut) result.out.resize(output_limit_);
    read_stream(watched_[1], result.err);
    tell_lines(result.err);
  }

  void tell_lines(std::string_view text) {
    for (auto end = text.find('\n', told_); on_error_line_ && end != text.npos;
         end = text.find('\n', told_)) {
      on_error_line_(text.substr(told_, end - told_));
      told_ = end + 1;
    }
  }

  static void read_stream(pollfd& stream, std::string& text) {
    if (stream.fd < 0 || stream.revents == 0) return;
    if (read_some(stream.fd, text) == ReadEnd::end) stream.fd = -1;  // poll passes over it from now on
  }

  std::array<pollfd, 4> watched_;
  int pid_;
  std::size_t output_limit_;
  std::function<void(std::string_view)> on_error_line_;
  std::size_t told_ = 0;  // bytes of stderr
};

void set_end(int status, CommandResult& result) {
  const bool signalled = WIFSIGNALED(status);
  result.end = signalled ? CommandResult::End::signalled : CommandResult::End::exited;
  result.code = signalled ? WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

Expected<CommandResult> RealCommandRunner::run(const CommandRequest& request) {
  const auto deadline = steady_clock::now() + request.timeout;
  auto out = make_pipe();
  if (!out) return tl::unexpected(out.error());
  auto err = make_pipe();
  if (!err) return tl::unexpected(err.error());
  const FileDescriptor null(open("/dev/null", O_RDWR | O_CLOEXEC));
  std::vector<int> inherited;
  if (request.inherited_descriptor >= 0) inherited.push_back(request.inherited_descriptor);
  auto child = start(request.argv, request.environment,
                     {.standard = {null.get(), out->sink.get(), err->sink.get()},
                      .session = Session::group,
                      .inherited = std::move(inherited),
                      .end_of_caller = request.end_of_caller});
  if (!child) return tl::unexpected(child.error());
  const int pid = child->id();
  child->detach();
  out->sink = {};
  err->sink = {};

  const FileDescriptor process = open_process_descriptor(pid);
  CommandResult result;
  Capture capture({out->source.get(), err->source.get(), tells_end(process) ? process.get() : -1,
                   request.stop_descriptor},
                  pid, request.output_limit, request.on_error_line);
  const bool in_time = capture.until(deadline, result);
  if (!in_time) kill(-pid, SIGKILL);  // with what it has started
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  set_end(status, result);
  if (!in_time && !result.cut) result.end = CommandResult::End::timed_out;
  return result;
}

Expected<int> RealCommandRunner::start_daemon(const DaemonRequest& request) {
  const FileDescriptor null(open("/dev/null", O_RDONLY | O_CLOEXEC));
  // A FIFO in its place is refused, not waited for.
  const FileDescriptor log(
      open(request.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0600));
  if (!log.is_open())
    return fail_errno(ExitCode::run_failed, "cannot write '" + request.log.string() + "'", errno);
  auto child = start(request.argv, request.environment,
                     {.standard = {null.get(), log.get(), log.get()},
                      .session = Session::own,
                      .folder = request.folder.string(),
                      .inherited = request.inherited_descriptors});
  if (!child) return tl::unexpected(child.error());
  child->detach();
  return child->id();
}

void RealCommandRunner::reap(int pid) {
  while (waitpid(pid, nullptr, WNOHANG) < 0 && errno == EINTR) {
  }
}

}  // namespace ddp::cli
