#include "jobenv/agent/head/starter.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "jobenv/record/files/file_descriptor.hpp"
#include "jobenv/record/process_identity.hpp"

namespace ddp::agent {

void Starter::announce(const remote::HeadAddress& address) {
  const int pid = getpid();
  tell(remote::HeadStarted{{load_boot_id(), pid, load_process_start(pid).value_or(0)}, address});
}

void Starter::refuse(const std::string& why) {
  tell(remote::Refused{why});
}

void Starter::tell(const remote::Answer& answer) {
  if (!ready_fd_) return;
  const FileDescriptor starter(*std::exchange(ready_fd_, std::nullopt));
  const std::string line = remote::render_answer(answer) + "\n";
  if (write(starter.get(), line.data(), line.size()) < 0)
    log_("--ready-fd: " + std::string(std::strerror(errno)));
}

}  // namespace ddp::agent
