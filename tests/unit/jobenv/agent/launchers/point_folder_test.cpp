#include "jobenv/agent/launchers/point_folder.hpp"

#include <gtest/gtest.h>

#include "jobenv/record/files/durable_file.hpp"
#include "tests/unit/jobenv/agent/run_fixture.hpp"

namespace ddp::agent {
namespace {

class PointFolderTest : public testing::Test {
 protected:
  void make_sweep() { ASSERT_TRUE(save_file(run_.folder().sweep_record(), "{}\n", Durability::visible)); }

  void plan_first_point(const char* launcher) {
    const RunFolder point = run_.folder().point_folder(0);
    ASSERT_TRUE(point.create());
    LaunchPlan plan = make_plan(point.root(), 1, "true");
    use_launcher(plan, launcher);
    std::ofstream(point.plan()) << to_json(plan).dump();
  }

  RunFixture run_;
  const EnvMap task_{{{"DDPSUBMIT_FIRST_POINT", "4"}, {"SLURM_ARRAY_TASK_ID", "2"}}};
};

TEST_F(PointFolderTest, ARunIsItsOwn) {
  EXPECT_EQ(resolve_point_folder(run_.path(), task_), run_.path());
}

TEST_F(PointFolderTest, ATaskOfAnArrayIsAPoint) {
  make_sweep();
  plan_first_point("slurm");
  EXPECT_EQ(resolve_point_folder(run_.path(), task_), run_.folder().point_folder(6).root());
}

TEST_F(PointFolderTest, WhereThePlanCannotBeReadTheEnvironmentTells) {
  make_sweep();
  EXPECT_EQ(resolve_point_folder(run_.path(), task_), run_.folder().point_folder(6).root());
  const auto alone = resolve_point_folder(run_.path(), EnvMap());
  ASSERT_FALSE(alone);
  EXPECT_EQ(alone.error().code, ExitCode::config_invalid);
}

TEST_F(PointFolderTest, ALauncherWhoseJobsHoldOnePointIsGivenThePoint) {
  make_sweep();
  plan_first_point("local");
  const auto folder = resolve_point_folder(run_.path(), task_);
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().message,
            "this is the folder of a sweep; head needs the folder of one of its points");
}

}  // namespace
}  // namespace ddp::agent
