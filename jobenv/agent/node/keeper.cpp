#include "jobenv/agent/node/keeper.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>

#include "jobenv/agent/process/reaper.hpp"

namespace ddp::agent {
namespace {

using std::chrono::steady_clock;

constexpr int kMostEarlyDeaths = 5;
constexpr std::chrono::seconds kEarly{1};

/// The keeper's own, for its child.
struct SignalMask {
  sigset_t before{};
};

SignalMask block_all() {
  sigset_t all;
  sigfillset(&all);
  SignalMask mask;
  sigprocmask(SIG_SETMASK, &all, &mask.before);
  return mask;
}

[[noreturn]] void become_kept(const SignalMask& mask, const std::function<int()>& serve) {
  prctl(PR_SET_NAME, "ddp-agent", 0, 0, 0);
  sigprocmask(SIG_SETMASK, &mask.before, nullptr);
  _exit(serve());
}

/// Of orphans, too, which come to a subreaper.
int await(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return status;
}

}  // namespace

int keep(const std::function<int()>& serve) {
  become_subreaper();
  const SignalMask mask = block_all();
  for (int early_deaths = 0; early_deaths < kMostEarlyDeaths;) {
    const auto began = steady_clock::now();
    const pid_t child = fork();
    if (child < 0) return 1;
    if (child == 0) become_kept(mask, serve);
    prctl(PR_SET_NAME, "ddp-keeper", 0, 0, 0);
    const int status = await(child);
    sweep_until_empty();
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    early_deaths = steady_clock::now() - began < kEarly ? early_deaths + 1 : 0;
  }
  return 1;
}

}  // namespace ddp::agent
