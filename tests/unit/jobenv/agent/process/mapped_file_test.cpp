#include "jobenv/agent/process/mapped_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

namespace ddp::agent {
namespace {

TEST(MappedFiles, AreThoseWithANameOnceEach) {
  const auto files = parse_mapped_files(
      "55d0-55d1 r--p 00000000 fd:01 77 /usr/bin/a file\n"
      "55d1-55d2 r-xp 00001000 fd:01 77 /usr/bin/a file\n"
      "7f00-7f01 rw-p 00000000 00:00 0 [heap]\n"
      "7f01-7f02 rw-p 00000000 00:00 0 \n"
      "7f02-7f03 rw-s 00000000 00:1a 9 /dev/shm/gone (deleted)\n"
      "7f03-7f04 rw-s 00000000 00:1a 8 /dev/shm/there\n");
  EXPECT_EQ(files,
            (std::vector<MappedFile>{{"/dev/shm/there", "00:1a", 8}, {"/usr/bin/a file", "fd:01", 77}}));
}

TEST(MappedFiles, OfThisProcess) {
  const auto is_libc = [](const MappedFile& file) { return file.path.find("libc.so") != std::string::npos; };
  EXPECT_TRUE(std::ranges::any_of(mapped_files(getpid()), is_libc));
}

TEST(MappedFiles, OfNobody) {
  EXPECT_TRUE(mapped_files(0).empty());
}

}  // namespace
}  // namespace ddp::agent
