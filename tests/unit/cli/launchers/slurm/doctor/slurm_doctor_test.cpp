#include "cli/launchers/slurm/doctor/slurm_doctor.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "jobenv/record/files/durable_file.hpp"
#include "tests/support/fake_system.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

/// On a host of a cluster.
class SlurmDoctorTest : public testing::Test {
 protected:
  SlurmDoctorTest() { spec.launcher = find_launcher("slurm"); }
  void install(const char* tool) {
    (void)save_file(tools / tool, "#!/bin/sh\n", Durability::visible);
    std::filesystem::permissions(tools / tool, std::filesystem::perms::owner_all);
  }
  Finding check(std::string_view name) {
    const auto checks = slurm_checks();
    const auto wanted = std::ranges::find(checks, name, &Check::name);
    return wanted->run({.seams = {outside.system(), EnvMap().set("PATH", tools.path()), {}},
                        .own_folder = {},
                        .work_dir = {},
                        .run_root = {},
                        .spec = &spec});
  }
  void let_munge_fail() { outside.runner.answer(1, "", "munge: Error: Failed to access the socket\n"); }
  void answer_config(const std::string& auth_type) {
    outside.runner.answer(0,
                          "AuthInfo                = (null)\nAuthType                = " + auth_type + "\n");
  }

  TemporaryFolder tools;
  FakeSystem outside;
  RunSpec spec;
};

TEST_F(SlurmDoctorTest, MungeThatAnswersIsWell) {
  install("munge");
  EXPECT_EQ(check("munge").verdict, Verdict::ok);
  EXPECT_EQ(outside.runner.requests.size(), 2u) << "munge and unmunge";
}

TEST_F(SlurmDoctorTest, MungeThatIsSilentIsAnErrorWhereSlurmNeedsIt) {
  install("munge");
  let_munge_fail();
  answer_config("auth/munge");
  EXPECT_EQ(check("munge").verdict, Verdict::error);
}

TEST_F(SlurmDoctorTest, MungeThatIsSilentIsAnErrorWhereSlurmDoesNotAnswer) {
  install("munge");
  let_munge_fail();
  outside.runner.answer(1, "", "slurm_load_ctl_conf error: Protocol authentication error\n");
  EXPECT_EQ(check("munge").verdict, Verdict::error);
}

TEST_F(SlurmDoctorTest, AuthSlurmNeedsNoMungeThatRuns) {
  install("munge");
  let_munge_fail();
  answer_config("auth/slurm");
  EXPECT_EQ(check("munge"), (Finding{.verdict = Verdict::skipped,
                                     .found = "not needed: this cluster has AuthType=auth/slurm"}));
}

TEST_F(SlurmDoctorTest, AuthSlurmNeedsNoMungeThatIsInstalled) {
  answer_config("auth/slurm");
  EXPECT_EQ(check("munge").found, "not needed: this cluster has AuthType=auth/slurm");
}

}  // namespace
}  // namespace ddp::cli
