#include "cli/system/child_program.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

#include "jobenv/record/exec_strings.hpp"
#include "jobenv/record/process_descriptor.hpp"

namespace ddp::cli {
namespace {

constexpr off_t kMostWords = 65536;

enum class On { terminal, own_session };

/// What posix_spawn is told. Signals are those of a program that a shell starts.
class SpawnSettings {
 public:
  explicit SpawnSettings(On on) {
    posix_spawnattr_init(&attributes_);
    posix_spawn_file_actions_init(&actions_);
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    if (on == On::own_session) flags |= POSIX_SPAWN_SETSID;
    posix_spawnattr_setflags(&attributes_, flags);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }

  void print_to(int descriptor) {
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, descriptor, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, descriptor, STDERR_FILENO);
  }

  [[nodiscard]] Expected<int> spawn(const std::vector<std::string>& argv, const EnvMap& environment) const {
    const auto entries = environment.entries();
    pid_t pid = 0;
    const int error = posix_spawn(&pid, argv.front().c_str(), &actions_, &attributes_,
                                  pointers_to(argv).data(), pointers_to(entries).data());
    if (error != 0) return fail_errno(ExitCode::run_failed, "cannot start '" + argv.front() + "'", error);
    return pid;
  }

 private:
  posix_spawnattr_t attributes_{};
  posix_spawn_file_actions_t actions_{};
};

std::string load_words(int file) {
  const off_t size = lseek(file, 0, SEEK_END);
  const off_t begin = std::max<off_t>(0, size - kMostWords);
  std::string text(static_cast<std::size_t>(std::max<off_t>(0, size - begin)), '\0');
  const ssize_t count = pread(file, text.data(), text.size(), begin);
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return text;
}

}  // namespace

Expected<void> run_on_terminal(const std::vector<std::string>& argv, const EnvMap& environment,
                               const std::function<bool(int end)>& wants_end) {
  const auto pid = SpawnSettings(On::terminal).spawn(argv, environment);
  if (!pid) return tl::unexpected(pid.error());
  const FileDescriptor process = open_process_descriptor(*pid);
  if (process.is_open() && tells_end(process) && wants_end(process.get()))
    (void)signal_process(process, SIGINT);
  while (waitpid(*pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  return {};
}

Expected<QuietProgram> QuietProgram::start(const std::vector<std::string>& argv, const EnvMap& environment) {
  FileDescriptor output(memfd_create("output", MFD_CLOEXEC));
  if (!output.is_open())
    return fail_errno(ExitCode::run_failed, "cannot keep the output of a program", errno);
  SpawnSettings settings(On::own_session);
  settings.print_to(output.get());
  const auto pid = settings.spawn(argv, environment);
  if (!pid) return tl::unexpected(pid.error());
  return QuietProgram(*pid, std::move(output));
}

std::optional<QuietProgram::End> QuietProgram::look() {
  int status = 0;
  const auto ended = waitpid(pid_, &status, WNOHANG);
  if (ended == 0 || (ended < 0 && errno == EINTR)) return std::nullopt;
  return End{ended == pid_ && WIFEXITED(status) && WEXITSTATUS(status) == 0, load_words(output_.get())};
}

}  // namespace ddp::cli
