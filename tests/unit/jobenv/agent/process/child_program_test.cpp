#include "jobenv/agent/process/child_program.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>

#include "jobenv/record/files/file_descriptor.hpp"
#include "tests/unit/jobenv/agent/run_fixture.hpp"

namespace ddp::agent {
namespace {

TEST(ChildProgram, HasDefaultSignalsWhateverTheAgentIgnores) {
  const TemporaryFolder folder;
  const FileDescriptor log(open((folder / "log").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  const auto old_pipe = std::signal(SIGPIPE, SIG_IGN);
  const auto old_file_size = std::signal(SIGXFSZ, SIG_IGN);
  const auto pid = spawn({.argv = {"sed", "-n", "s/^SigIgn:.//p", "/proc/self/status"},
                          .environment = EnvMap::capture(),
                          .output = log.get()});
  std::signal(SIGPIPE, old_pipe);
  std::signal(SIGXFSZ, old_file_size);
  ASSERT_TRUE(pid) << pid.error().message;
  int status = -1;
  ASSERT_EQ(waitpid(*pid, &status, 0), *pid);
  const auto ignored = std::stoull(read_file(folder / "log"), nullptr, 16);
  EXPECT_EQ(ignored & 0x7fff'ffff, 0u);  // the two above are of the C library
}

}  // namespace
}  // namespace ddp::agent
