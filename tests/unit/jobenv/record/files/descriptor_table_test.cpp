#include "jobenv/record/files/descriptor_table.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

namespace ddp {
namespace {

bool is_open(int descriptor) {
  return fcntl(descriptor, F_GETFD) >= 0;
}

/// In a child, whose descriptors are nobody else's: its exit code.
template <class Action>
int in_a_child(Action action) {
  const pid_t pid = fork();
  if (pid == 0) _exit(action());
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// As many as the limit allows: not one more can be opened.
void use_up_descriptors() {
  const rlimit limit{32, 32};
  setrlimit(RLIMIT_NOFILE, &limit);
  while (dup(STDERR_FILENO) >= 0) continue;
}

TEST(DescriptorTable, AllButSomeAreClosedEvenIfNoMoreCanBeOpened) {
  EXPECT_EQ(in_a_child([] {
              use_up_descriptors();
              close_descriptors_except(std::array{7, -1, 5});
              for (int number = 0; number < 32; ++number) {
                const bool kept = number <= STDERR_FILENO || number == 5 || number == 7;
                if (is_open(number) != kept) return 1;
              }
              return 0;
            }),
            0);
}

TEST(DescriptorTable, AllButTheStandardOnesAreClosedOnExecEvenIfNoMoreCanBeOpened) {
  EXPECT_EQ(in_a_child([] {
              use_up_descriptors();
              close_all_on_exec();
              for (int number = STDERR_FILENO + 1; number < 32; ++number) {
                if (fcntl(number, F_GETFD) != FD_CLOEXEC) return 1;
              }
              return fcntl(STDERR_FILENO, F_GETFD) == 0 ? 0 : 2;
            }),
            0);
}

}  // namespace
}  // namespace ddp
