#include "trainer/shm/shared_memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <system_error>

namespace ddp::trainer {
namespace {

using testing::HasSubstr;

std::string why_not(const std::string& address) {
  try {
    (void)SharedMemory::open(address);
    return "";
  } catch (const std::system_error& error) {
    return error.what();
  }
}

TEST(SharedMemory, BeginsWithZeros) {
  const auto memory = SharedMemory::create(100'000);
  ASSERT_EQ(memory.size(), 100'000U);
  EXPECT_TRUE(std::all_of(memory.data(), memory.data() + memory.size(),
                          [](std::byte b) { return b == std::byte{0}; }));
}

TEST(SharedMemory, IsTheSameInAnotherProcess) {
  const auto memory = SharedMemory::create(64);
  const std::string address = memory.address();
  const pid_t child = fork();
  if (child == 0) {
    const auto theirs = SharedMemory::open(address);
    theirs.data()[63] = std::byte{7};
    _exit(theirs.size() == 64 ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(memory.data()[63], std::byte{7});
}

TEST(SharedMemory, OutlivesTheOneWhoMadeIt) {
  auto first = std::make_unique<SharedMemory>(SharedMemory::create(64));
  first->data()[0] = std::byte{1};
  const auto second = SharedMemory::open(first->address());
  const std::string address = first->address();
  first.reset();
  EXPECT_EQ(second.data()[0], std::byte{1});
  EXPECT_THAT(why_not(address), HasSubstr("No such file"));
}

TEST(SharedMemory, OtherMemoryAtTheAddressIsNotTaken) {
  const auto one = SharedMemory::create(64);
  const auto other = SharedMemory::create(64);
  const std::string address = one.address();
  const std::string mixed =
      other.address().substr(0, other.address().find(' ')) + address.substr(address.find(' '));
  EXPECT_THAT(why_not(mixed), HasSubstr("is not the memory that was shared"));
}

TEST(SharedMemory, IsNoMoreThanAFileMayHave) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    try {
      (void)SharedMemory::create(1001);
      _exit(1);
    } catch (const std::system_error& error) {
      _exit(error.code().value() == EFBIG ? 0 : 2);
    }
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace ddp::trainer
