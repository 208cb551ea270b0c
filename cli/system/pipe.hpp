#pragma once

#include "ddp/jobenv/error.hpp"
#include "jobenv/record/files/file_descriptor.hpp"

namespace ddp::cli {

struct Pipe {
  FileDescriptor source;  ///< its read end
  FileDescriptor sink;    ///< its write end
};

/// Both ends are closed on exec.
[[nodiscard]] Expected<Pipe> make_pipe();

struct SocketPair {
  FileDescriptor ours, theirs;
};

/// Both ends are closed on exec.
[[nodiscard]] Expected<SocketPair> make_socket_pair();

}  // namespace ddp::cli
