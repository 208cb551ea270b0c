#include "jobenv/record/ledger/submission_token.hpp"

#include <gtest/gtest.h>

#include "jobenv/record/files/durable_file.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp {
namespace {

std::optional<std::string> token_in(const std::string& script) {
  const TemporaryFolder home;
  const RunFolder run(home / "run");
  EXPECT_TRUE(run.create());
  EXPECT_TRUE(save_file(run.script(), script, Durability::visible));
  return load_script_token(run);
}

TEST(SubmissionToken, IsFoundInADirectiveOfAnyScheduler) {
  EXPECT_EQ(token_in("#!/bin/sh\n#SBATCH --nodes=1\n#SBATCH --comment=ddpsubmit:0a1b\necho\n"), "0a1b");
  EXPECT_EQ(token_in("#SBATCH --comment=\"ddpsubmit:0a1b {\\\"a\\\": 1}\"\n"), "0a1b");
  EXPECT_EQ(token_in("#SBATCH --comment='ddpsubmit:0a1b of us'\n"), "0a1b");
  EXPECT_EQ(token_in("#SBATCH --comment=\"ddpsubmit:0a1b x=ddpsubmit:9\"\n"), "0a1b");
  EXPECT_EQ(token_in("#!/bin/sh\n#PBS -W comment=ddpsubmit:0a1b and more\n"), "0a1b");
}

TEST(SubmissionToken, IsNotFoundElsewhere) {
  EXPECT_EQ(token_in("#!/bin/sh\necho --comment=ddpsubmit:0a1b\n"), std::nullopt);
  EXPECT_EQ(token_in("#!/bin/sh\n# see /opt/ddpsubmit:0a1b\n"), std::nullopt);
  EXPECT_EQ(token_in("#SBATCH --comment=ddpsubmit:\n"), std::nullopt);
  EXPECT_EQ(token_in(""), std::nullopt);
}

TEST(SubmissionToken, OfAnotherCommentThereIsNone) {
  EXPECT_EQ(token_of_comment(comment_of_token("0a1b")), "0a1b");
  EXPECT_EQ(token_of_comment("ddpsubmit:0a1b; billed to X"), "0a1b");
  EXPECT_EQ(token_of_comment("ddpsubmit:0a1b beef"), "0a1b");
  EXPECT_EQ(token_of_comment("mine"), std::nullopt);
}

}  // namespace
}  // namespace ddp
