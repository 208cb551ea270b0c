#pragma once

namespace ddp::cli {

/// While it lives, a program that this thread forks, as libssh does for a ProxyJump, takes TERM: libssh ends
/// it by that and waits for its end, whatever signals ddpsubmit holds back. And it takes no INT, so that
/// Ctrl-C in a terminal leaves the connection over which the run is to be stopped.
class ProxyFork {
 public:
  ProxyFork();
  ProxyFork(const ProxyFork&) = delete;
  ProxyFork& operator=(const ProxyFork&) = delete;
  ~ProxyFork();
};

}  // namespace ddp::cli
