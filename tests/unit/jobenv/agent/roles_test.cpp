#include "jobenv/agent/roles.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/jobenv/agent/run_fixture.hpp"

namespace ddp::agent {
namespace {

using testing::HasSubstr;

class TaskRole : public testing::Test {
 protected:
  /// What the role says before it gives up with `code`.
  std::string refusal(const std::map<std::string, std::string>& environment, ExitCode code) {
    std::string said;
    const int exit_code =
        run_role(TaskArguments{}, EnvMap(environment), [&said](const std::string& line) { said += line; });
    EXPECT_EQ(exit_code, static_cast<int>(code));
    return said;
  }

  std::string refusal_in_run_of(const char* launcher, ExitCode code) {
    LaunchPlan plan = make_plan(run_.path(), 1, "true");
    use_launcher(plan, launcher);
    run_.save(plan);
    return refusal({{"DDPSUBMIT_RUN_DIR", run_.path()}}, code);
  }

  RunFixture run_;
};

TEST_F(TaskRole, IsNotForPeople) {
  EXPECT_EQ(refusal({}, ExitCode::usage), "DDPSUBMIT_RUN_DIR is not set");
}

TEST_F(TaskRole, TheLauncherTellsItsRank) {
  EXPECT_EQ(refusal_in_run_of("local", ExitCode::usage), "launcher 'local' starts no agent for each rank");
  EXPECT_THAT(refusal_in_run_of("slurm", ExitCode::config_invalid),
              HasSubstr("Slurm's variables do not describe a rank"));
}

}  // namespace
}  // namespace ddp::agent
