#include "ddp/jobenv/env_map.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>

namespace ddp {
namespace {

using Names = std::vector<std::string>;

TEST(EnvMap, CapturesTheEnvironmentOfTheProcess) {
  setenv("DDP_TEST_VARIABLE", "a=b", 1);
  const EnvMap env = EnvMap::capture();
  unsetenv("DDP_TEST_VARIABLE");
  EXPECT_EQ(env.get("DDP_TEST_VARIABLE"), "a=b");
  EXPECT_FALSE(EnvMap::capture().has("DDP_TEST_VARIABLE"));
}

TEST(EnvMap, CapturesWhatOtherProgramsMayHaveLeft) {
  char no_value[] = "WORD";
  char no_name[] = "=value";
  char first[] = "TWICE=first";
  char second[] = "TWICE=second";
  char empty[] = "EMPTY=";
  std::array<char*, 6> entries = {no_value, no_name, first, second, empty, nullptr};
  char** const saved = environ;
  environ = entries.data();
  const EnvMap env = EnvMap::capture();
  environ = saved;
  EXPECT_EQ(env, EnvMap({{"TWICE", "first"}, {"EMPTY", ""}}));
}

TEST(EnvMap, SetsAndUnsets) {
  EnvMap env;
  env.set("A", "1").set("B", "2").set("A", "3");
  EXPECT_EQ(env.get("A"), "3");
  env.unset("A");
  env.unset("never there");
  EXPECT_EQ(env, EnvMap().set("B", "2"));
  EXPECT_EQ(env.get("A"), std::nullopt);
}

TEST(EnvMap, PatchedKeepsBothAndTheOverlayWins) {
  const EnvMap base({{"A", "1"}, {"B", "1"}});
  const EnvMap over({{"B", "2"}, {"C", "2"}});
  EXPECT_EQ(base.patched(over), EnvMap({{"A", "1"}, {"B", "2"}, {"C", "2"}}));
  EXPECT_EQ(base, EnvMap({{"A", "1"}, {"B", "1"}}));
}

TEST(EnvMap, RemovesByNameAndTellsWhat) {
  EnvMap env({{"SLURM_B", "1"}, {"SLURM_A", "1"}, {"PATH", "1"}});
  EXPECT_EQ(env.remove_if([](std::string_view name) { return name.starts_with("SLURM_"); }),
            (Names{"SLURM_A", "SLURM_B"}));
  EXPECT_EQ(env, EnvMap().set("PATH", "1"));
}

TEST(EnvMap, GivesEntriesForExecve) {
  EXPECT_EQ(EnvMap({{"B", ""}, {"A", "x=y"}}).entries(), (Names{"A=x=y", "B="}));
}

}  // namespace
}  // namespace ddp
