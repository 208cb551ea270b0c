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

TEST(WithLibraries, TheyAreFoundBeforeOthersOrBehindThem) {
  const auto path = [](const EnvMap& environment, const LibraryFolders& folders) {
    return with_libraries(environment, folders).get(kLibraryPath);
  };
  const auto known = EnvMap().set(kLibraryPath, "/usr/lib");
  EXPECT_EQ(path(EnvMap(), {.first = "/opt/lib", .spare = {}}), "/opt/lib");
  EXPECT_EQ(path(known, {.first = "/opt/lib", .spare = {}}), "/opt/lib:/usr/lib");
  EXPECT_EQ(path(known, {.first = {}, .spare = "/venv/lib"}), "/usr/lib:/venv/lib");
  EXPECT_EQ(path(EnvMap(), {}), std::nullopt);
}

}  // namespace
}  // namespace ddp
