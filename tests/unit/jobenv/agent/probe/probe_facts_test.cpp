#include "jobenv/agent/probe/probe_facts.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temporary_folder.hpp"

namespace ddp::agent {
namespace {

TEST(ProbeFacts, NameAProgramThatIsNotInPath) {
  const TemporaryFolder folder;
  const EnvMap env = EnvMap().set("PATH", "/nowhere:" + folder.path().string());
  std::ofstream(folder / "tool") << "#!/bin/sh\n";
  const auto problem = "'tool' is not in PATH (/nowhere:" + folder.path().string() + ")";
  EXPECT_EQ(find_program_problem("tool", env), problem) << "nobody may execute it";
  std::filesystem::permissions(folder / "tool", std::filesystem::perms::owner_all);
  EXPECT_EQ(find_program_problem("tool", env), "");
  EXPECT_EQ(find_program_problem(folder / "tool", EnvMap()), "");
  EXPECT_EQ(find_program_problem("sh", EnvMap()), "");
}

TEST(ProbeFacts, NameTheFolderWhereARelativeProgramIsNot) {
  EXPECT_EQ(find_program_problem("bin/tool", EnvMap()),
            "'bin/tool' is not an executable file in " + std::filesystem::current_path().string());
  EXPECT_EQ(find_program_problem("/nowhere/tool", EnvMap()), "'/nowhere/tool' is not an executable file");
  EXPECT_EQ(find_program_problem("/tmp", EnvMap()), "'/tmp' is not an executable file");
}

}  // namespace
}  // namespace ddp::agent
