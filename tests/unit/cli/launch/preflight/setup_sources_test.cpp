#include "cli/launch/preflight/setup_sources.hpp"

#include <gmock/gmock.h>

#include <map>

namespace ddp::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> sourced(const std::vector<std::string>& setup) {
  return files_sourced_by(setup, EnvMap(std::map<std::string, std::string>{{"HOME", "/home/ann"}}));
}

TEST(SetupSources, AreFilesThatAreNamedByTheirPath) {
  EXPECT_THAT(
      sourced({"module load cuda", "source venv/bin/activate", ". /opt/env.sh arg\nsource \"./my.sh\""}),
      ElementsAre("venv/bin/activate", "/opt/env.sh", "./my.sh"));
  EXPECT_THAT(sourced({"source ~/a.sh", ". $HOME/b.sh", "source ${HOME}/c.sh"}),
              ElementsAre("/home/ann/a.sh", "/home/ann/b.sh", "/home/ann/c.sh"));
}

TEST(SetupSources, AreNotThoseThatTheShellWouldReplaceOrSearch) {
  EXPECT_THAT(sourced({"source $ROOT/env.sh", "source /opt/*/env.sh", "source env.sh", "source"}), IsEmpty());
  EXPECT_THAT(sourced({"source /opt/env.sh || true", "source /opt/b.sh"}), IsEmpty());
  EXPECT_THAT(sourced({"[ -e /opt/env.sh ] && source /opt/env.sh"}), IsEmpty());
}

TEST(SetupSources, EndWhereALineMayMakeThem) {
  EXPECT_THAT(sourced({"source /opt/a.sh", "python3 -m venv venv", "source venv/bin/activate"}),
              ElementsAre("/opt/a.sh"));
  EXPECT_THAT(sourced({"cd src", "source ./env.sh"}), IsEmpty());
}

TEST(SetupSources, OnlyKnownLinesMakeNoFiles) {
  EXPECT_FALSE(may_make_files({}));
  EXPECT_FALSE(may_make_files({"# modules", "module load cuda", "export A=b", "", "ulimit -n 4096"}));
  EXPECT_TRUE(may_make_files({"module load cuda", "git clone https://example.org/code"}));
  EXPECT_TRUE(may_make_files({"echo text >train.py"}));
  EXPECT_TRUE(may_make_files({"export A=$(make)"}));
  EXPECT_TRUE(may_make_files({"module load git; git clone x"}));
}

}  // namespace
}  // namespace ddp::cli
