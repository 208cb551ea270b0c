#include "cli/system/host.hpp"

#include <pwd.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <iterator>

namespace ddp::cli {
namespace {

// Files of /proc have no size: they are read until their end.
std::string read_proc(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

std::optional<std::uint64_t> parse_process_stat(std::string_view stat) {
  // The second field is the program's name in parentheses, which may hold anything; the third is the state.
  const auto name_end = stat.rfind(')');
  if (name_end == std::string_view::npos || name_end + 2 >= stat.size()) return std::nullopt;
  std::string_view rest = stat.substr(name_end + 2);
  if (rest.front() == 'Z' || rest.front() == 'X') return std::nullopt;
  constexpr int kFieldsBeforeStart = 19;  // fields 3 to 21
  for (int field = 0; field < kFieldsBeforeStart; ++field) {
    const auto space = rest.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(space + 1);
  }
  std::uint64_t start = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), start);
  if (error != std::errc{}) return std::nullopt;
  return start;
}

std::string RealHost::name() const {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::string RealHost::user() const {
  const passwd* entry = getpwuid(getuid());
  return entry != nullptr ? entry->pw_name : std::to_string(getuid());
}

std::string RealHost::boot_id() const {
  std::string id = read_proc("/proc/sys/kernel/random/boot_id");
  while (!id.empty() && id.back() == '\n') id.pop_back();
  return id;
}

std::optional<std::uint64_t> RealHost::start_of(int pid) const {
  return parse_process_stat(read_proc("/proc/" + std::to_string(pid) + "/stat"));
}

Expected<FileDescriptor> RealHost::open_process(int pid) const {
  const long descriptor = syscall(SYS_pidfd_open, pid, 0);
  if (descriptor < 0)
    return fail_errno(ExitCode::not_found, "cannot watch process " + std::to_string(pid), errno);
  return FileDescriptor(static_cast<int>(descriptor));
}

Expected<void> RealHost::signal(const FileDescriptor& process, int signal) const {
  if (syscall(SYS_pidfd_send_signal, process.get(), signal, nullptr, 0) != 0 && errno != ESRCH) {
    return fail_errno(ExitCode::run_failed, "cannot signal the run's head", errno);
  }
  return {};
}

Liveness liveness_of(const ProcessId& process, const Host& host) {
  if (process.host != host.name()) return Liveness::elsewhere;
  if (process.boot_id != host.boot_id()) return Liveness::dead;
  const auto start = host.start_of(process.pid);
  return start && *start == process.start ? Liveness::alive : Liveness::dead;
}

}  // namespace ddp::cli
