#include "cli/system/pipe.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace ddp::cli {

Expected<Pipe> make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return fail_errno(ExitCode::run_failed, "cannot make a pipe", errno);
  return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

Expected<SocketPair> make_socket_pair() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return fail_errno(ExitCode::run_failed, "cannot make a pair of sockets", errno);
  return SocketPair{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

}  // namespace ddp::cli
