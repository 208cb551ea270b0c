#include "jobenv/agent/launchers/ssh/service/logind_policy.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_folder.hpp"

namespace ddp::agent {
namespace {

/// A process in a session.
class LogindPolicy : public testing::Test {
 protected:
  LogindPolicy() { write("proc/self/cgroup", "0::/user.slice/user-1000.slice/session-3.scope\n"); }
  void write(const std::string& file, const std::string& text) const {
    const auto path = root_ / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  [[nodiscard]] bool ends(const std::string& user = "me") const {
    return ends_with_session(user, root_.path());
  }

  TemporaryFolder root_;
};

TEST_F(LogindPolicy, LeavesProcessesAloneUnlessItIsToldOtherwise) {
  EXPECT_FALSE(ends());
  write("etc/systemd/logind.conf", "[Login]\n#KillUserProcesses=yes\nKillUserProcesses=no\n");
  EXPECT_FALSE(ends());
  write("etc/systemd/logind.conf", "[Login]\n KillUserProcesses = yes \n");
  EXPECT_TRUE(ends());
}

TEST_F(LogindPolicy, DropInsComeAfterTheFileInTheOrderOfTheirNames) {
  write("usr/lib/systemd/logind.conf", "[Login]\nKillUserProcesses=no\n");
  write("etc/systemd/logind.conf.d/10-kill.conf", "[Login]\nKillUserProcesses=1\n");
  EXPECT_TRUE(ends());
  write("usr/lib/systemd/logind.conf.d/20-spare.conf", "[Login]\nKillUserProcesses=false\n");
  EXPECT_FALSE(ends());
  write("etc/systemd/logind.conf.d/20-spare.conf", "");
  EXPECT_TRUE(ends()) << "it hides that of the same name";
}

TEST_F(LogindPolicy, UsersMayBeExceptedOrTheOnlyOnes) {
  write("etc/systemd/logind.conf", "[Login]\nKillUserProcesses=yes\n");
  EXPECT_FALSE(ends("root"));
  write("etc/systemd/logind.conf", "[Login]\nKillUserProcesses=yes\nKillExcludeUsers=you me\n");
  EXPECT_FALSE(ends());
  EXPECT_TRUE(ends("root"));
  write("etc/systemd/logind.conf", "[Login]\nKillUserProcesses=yes\nKillOnlyUsers=you\n");
  EXPECT_FALSE(ends());
  EXPECT_TRUE(ends("you"));
}

TEST_F(LogindPolicy, OutsideOfASessionNothingEndsWithIt) {
  write("etc/systemd/logind.conf", "[Login]\nKillUserProcesses=yes\n");
  write("proc/self/cgroup", "0::/system.slice/ssh.service\n");
  EXPECT_FALSE(ends());
}

}  // namespace
}  // namespace ddp::agent
