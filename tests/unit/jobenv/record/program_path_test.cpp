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

TEST(AppendToPath, TheFolderIsTheLastOne) {
  EnvMap environment;
  environment.set("PATH", "/bin");
  append_to_path(environment, "/opt/bin");
  EXPECT_EQ(environment.get("PATH"), "/bin:/opt/bin");
  EnvMap without;
  append_to_path(without, "/opt/bin");
  EXPECT_EQ(without.get("PATH"), std::string(kDefaultPath) + ":/opt/bin");
}

TEST(WithLibraries, TheyAreFoundBeforeOthers) {
  EXPECT_EQ(with_libraries(EnvMap(), "/opt/lib").get(kLibraryPath), "/opt/lib");
  EXPECT_EQ(with_libraries(EnvMap().set(kLibraryPath, "/usr/lib"), "/opt/lib").get(kLibraryPath),
            "/opt/lib:/usr/lib");
  EXPECT_EQ(with_libraries(EnvMap(), "").get(kLibraryPath), std::nullopt);
}

}  // namespace
}  // namespace ddp
