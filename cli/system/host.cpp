#include "cli/system/host.hpp"

#include <pwd.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>

#include "ddp/jobenv/host_name.hpp"
#include "jobenv/record/process_descriptor.hpp"
#include "jobenv/record/process_identity.hpp"
#include "jobenv/record/run_processes.hpp"

namespace ddp::cli {

std::string RealHost::name() const {
  return host_name();
}

std::string RealHost::user() const {
  const passwd* entry = getpwuid(getuid());
  return entry != nullptr ? entry->pw_name : std::to_string(getuid());
}

std::string RealHost::boot_id() const {
  return load_boot_id();
}

std::optional<std::uint64_t> RealHost::start_of(int pid) const {
  return load_process_start(pid);
}

Expected<FileDescriptor> RealHost::open_process(int pid) const {
  auto process = open_process_descriptor(pid);
  if (!process.is_open())
    return fail_errno(ExitCode::not_found, "cannot watch process " + std::to_string(pid), errno);
  return process;
}

Expected<void> RealHost::signal(const FileDescriptor& process, int signal) const {
  const int error = signal_process(process, signal);
  if (error == 0 || error == ESRCH) return {};
  return fail_errno(ExitCode::run_failed, "cannot send a signal to the run's head", error);
}

std::vector<int> RealHost::rank_processes(const std::set<std::string>& run_dirs) const {
  return find_rank_processes(run_dirs);
}

Liveness liveness_of(const ProcessId& process, const Host& host) {
  if (process.host != host.name()) return Liveness::elsewhere;
  if (process.boot_id != host.boot_id()) return Liveness::dead;
  const auto start = host.start_of(process.pid);
  return start && *start == process.start ? Liveness::alive : Liveness::dead;
}

/// The number is held by a descriptor before it is looked at whose it is.
Expected<FileDescriptor> open_process(const ProcessId& process, const Host& host) {
  auto opened = host.open_process(process.pid);
  if (opened && liveness_of(process, host) == Liveness::alive) return opened;
  return fail(ExitCode::not_found, "process " + std::to_string(process.pid) + " is gone");
}

}  // namespace ddp::cli
