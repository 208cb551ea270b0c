#include "jobenv/record/program_path.hpp"

#include <gtest/gtest.h>

namespace ddp {
namespace {

TEST(FindPrograms, LooksInEachFolderOfThePath) {
  using Files = std::vector<std::string>;
  EXPECT_EQ(find_programs("sh", "/bin::/usr/bin"), (Files{"/bin/sh", "./sh", "/usr/bin/sh"}));
  EXPECT_EQ(find_programs("./sh", "/bin"), Files{"./sh"});
  EXPECT_EQ(find_programs("sh", ""), Files{"./sh"});
  EXPECT_EQ(find_programs("", "/bin"), Files{});
}

}  // namespace
}  // namespace ddp
