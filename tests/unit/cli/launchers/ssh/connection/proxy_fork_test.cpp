#include "cli/launchers/ssh/connection/proxy_fork.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace ddp::cli {
namespace {

TEST(ProxyFork, AProxyDiesOfALimitOfTheSizeOfFilesAsUsual) {
  const auto before = std::signal(SIGXFSZ, SIG_IGN);  // as in ddpsubmit
  const ProxyFork forks;
  const pid_t pid = fork();
  if (pid == 0) {
    struct sigaction own {};
    sigaction(SIGXFSZ, nullptr, &own);
    _exit(own.sa_handler == SIG_DFL ? 0 : 1);
  }
  std::signal(SIGXFSZ, before);
  int status = -1;
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace ddp::cli
