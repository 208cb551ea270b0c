#include "cli/launchers/slurm/submission/unknown_jobs.hpp"

#include <gmock/gmock.h>

#include "jobenv/record/ledger/ledger.hpp"
#include "tests/support/fake_system.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A run whose job 4 is known.
class UnknownJobs : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(folder.create());
    auto ledger = LedgerWriter::open(folder, "submit");
    ASSERT_TRUE(ledger->append("submit_intent", {{"token", "zz"}}));
    ASSERT_TRUE(ledger->append("submitted", {{"job_id", "4"}}));
  }
  void answer(const std::string& tokens, const std::string& logs) {
    outside.runner.answer(0, tokens);
    outside.runner.answer(0, logs);
  }
  [[nodiscard]] std::string log_of(const std::string& job) const {
    return job + " 1795290600 " + folder.root().string() + "/logs/slurm-%j.out\n";
  }
  Expected<std::vector<std::vector<std::string>>> find() {
    const SlurmTools tools({outside.system(), EnvMap().set("PATH", "/usr/bin"), {}});
    const std::vector<LostJob> lost{{"aa", folder, std::nullopt},
                                    {"", RunFolder(home / "other"), std::nullopt}};
    return find_unknown_slurm_jobs(lost, tools);
  }

  TemporaryFolder home;
  RunFolder folder{home / "run"};
  FakeSystem outside;
};

TEST_F(UnknownJobs, AreFoundByTheirLogsAndByTheToken) {
  answer("4|ddpsubmit:aa\n5|ddpsubmit:aa\n6|ddpsubmit:bb\n", log_of("6") + log_of("4"));
  EXPECT_THAT(find().value(), ElementsAre(ElementsAre("6", "5"), IsEmpty()));
  EXPECT_THAT(outside.runner.requests[0].argv,
              ElementsAre("squeue", "--me", "--noheader", "--all", "--format=%F|%k"));
}

TEST_F(UnknownJobs, AreNoneOnlyAfterASecondAnswer) {
  answer("4|ddpsubmit:aa\n", log_of("4"));
  answer("4|ddpsubmit:aa\n", log_of("4") + log_of("9"));
  EXPECT_THAT(find().value(), ElementsAre(ElementsAre("9"), IsEmpty()));
  answer("", "");
  answer("", "");
  EXPECT_THAT(find().value(), ElementsAre(IsEmpty(), IsEmpty()));
}

TEST_F(UnknownJobs, AreNotKnownToBeNoneWhileTheControllerIsSilent) {
  answer("", "");
  outside.runner.answer(1, "", "slurm_load_jobs error: Unable to contact slurm controller\n");
  const auto jobs = find();
  ASSERT_FALSE(jobs);
  EXPECT_EQ(jobs.error().code, ExitCode::outcome_unknown);
  EXPECT_THAT(jobs.error().message, HasSubstr("Unable to contact slurm controller"));
}

}  // namespace
}  // namespace ddp::cli
