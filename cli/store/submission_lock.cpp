#include "cli/store/submission_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>

namespace ddp::cli {
namespace {

/// Another ddpsubmit may have removed the run after the file was opened.
bool is_still_at(const std::filesystem::path& path, const FileDescriptor& file) {
  struct stat here {};
  struct stat opened {};
  return stat(path.c_str(), &here) == 0 && fstat(file.get(), &opened) == 0 && here.st_dev == opened.st_dev &&
         here.st_ino == opened.st_ino;
}

}  // namespace

Expected<FileDescriptor> lock_submission(const RunFolder& folder) {
  // Opened for writing: NFS grants an exclusive lock on nothing less.
  const auto path = (folder.point() ? folder.sweep() : folder).ledger_of("submit");
  FileDescriptor file(open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!file.is_open()) return fail_errno(ExitCode::not_found, "cannot open '" + path.string() + "'", errno);
  if (flock(file.get(), LOCK_EX | LOCK_NB) == 0) {
    if (is_still_at(path, file)) return file;
    return fail(ExitCode::not_found, "run " + folder.run_id() + " was deleted by another ddpsubmit");
  }
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
