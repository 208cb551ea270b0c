#include "jobenv/probe/missing_libraries.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ddp {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(MissingLibraries, NoneInAListOfFoundOnes) {
  EXPECT_THAT(parse_missing_libraries("\tlinux-vdso.so.1 (0x7ffe)\n\tlibc.so.6 => /lib/libc.so.6 (0x7f)\n"),
              IsEmpty());
  EXPECT_THAT(parse_missing_libraries(""), IsEmpty());
}

TEST(MissingLibraries, EachOnce) {
  EXPECT_THAT(parse_missing_libraries("\tlibtorch_cpu.so => not found\n\tlibc.so.6 => /lib/libc.so.6 (0x7f)\n"
                                      "\tlibc10.so => not found\n\tlibtorch_cpu.so => not found\n"),
              ElementsAre("libtorch_cpu.so", "libc10.so"));
}

// Of musl 1.2.3.
TEST(MissingLibraries, AreReadFromWhatMuslSays) {
  EXPECT_THAT(parse_missing_libraries(
                  "\tlibc.so.6 => /lib/ld-musl-x86_64.so.1 (0x7f)\n"
                  "Error loading shared library libgone.so: No such file or directory (needed by ./m)\n"
                  "Error relocating ./m: f: symbol not found\n"),
              ElementsAre("libgone.so"));
}

}  // namespace
}  // namespace ddp
