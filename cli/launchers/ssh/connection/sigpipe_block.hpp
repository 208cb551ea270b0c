#pragma once

#include <csignal>

namespace ddp::cli {

/// While it lives, a write of this thread to a connection that is gone is an error, and no SIGPIPE: the
/// program of a ProxyJump, to which libssh writes through a pipe, may die at any time. Elsewhere the signal
/// stays what it is, the end of `ddpsubmit ... | head`.
class SigpipeBlock {
 public:
  SigpipeBlock();
  SigpipeBlock(const SigpipeBlock&) = delete;
  SigpipeBlock& operator=(const SigpipeBlock&) = delete;
  ~SigpipeBlock();

 private:
  sigset_t before_{};
};

}  // namespace ddp::cli
