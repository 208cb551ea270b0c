#include "jobenv/record/process_descriptor.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string>

namespace ddp {
namespace {

/// The files in the folder are gone with the process, whoever has its number by now. 0: it has ended.
int pid_of_folder(const FileDescriptor& folder) {
  const FileDescriptor stat(openat(folder.get(), "stat", O_RDONLY | O_CLOEXEC));
  std::array<char, 32> text{};
  if (!stat.is_open() || read_up_to(stat.get(), text.data(), text.size() - 1) <= 0) return 0;
  return std::atoi(text.data());
}

}  // namespace

FileDescriptor open_process_descriptor(int pid) {
  FileDescriptor process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (process.is_open() || (errno != ENOSYS && errno != EPERM)) return process;
  return FileDescriptor(open(("/proc/" + std::to_string(pid)).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

bool tells_end(const FileDescriptor& process) {
  struct stat kind {};
  return fstat(process.get(), &kind) == 0 && !S_ISDIR(kind.st_mode);
}

int signal_process(const FileDescriptor& process, int signal) {
  if (tells_end(process))
    return syscall(SYS_pidfd_send_signal, process.get(), signal, nullptr, 0) == 0 ? 0 : errno;
  const int pid = pid_of_folder(process);
  if (pid <= 0) return ESRCH;
  return kill(pid, signal) == 0 ? 0 : errno;
}

}  // namespace ddp
