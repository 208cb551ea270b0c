#include "cli/store/submission_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>

namespace ddp::cli {

Expected<FileDescriptor> lock_submission(const RunFolder& folder) {
  // Opened for writing: NFS grants an exclusive lock on nothing less.
  const auto path = (folder.point() ? folder.sweep() : folder).ledger_of("submit");
  FileDescriptor file(open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!file.is_open()) return fail_errno(ExitCode::not_found, "cannot open '" + path.string() + "'", errno);
  if (flock(file.get(), LOCK_EX | LOCK_NB) == 0) return file;
  if (errno != EWOULDBLOCK) {
    return fail_errno(ExitCode::run_failed, "cannot lock '" + path.string() + "'", errno);
  }
  return fail(ExitCode::still_running, "run " + folder.run_id() + " is being submitted by another ddpsubmit",
              "wait for that one");
}

Expected<FileDescriptor> lock_if_possible(const RunFolder& folder) {
  auto lock = lock_submission(folder);
  if (!lock && lock.error().code != ExitCode::still_running) return FileDescriptor();
  return lock;
}

}  // namespace ddp::cli
