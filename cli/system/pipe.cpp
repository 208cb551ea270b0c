#include "cli/system/pipe.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace ddp::cli {

Expected<Pipe> make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return fail_errno(ExitCode::run_failed, "cannot make a pipe", errno);
  return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

}  // namespace ddp::cli
