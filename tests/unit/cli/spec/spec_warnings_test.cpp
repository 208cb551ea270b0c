#include "cli/spec/spec_warnings.hpp"
#include "cli/launchers/ssh/keys/ssh_options.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace ddp::cli {
namespace {

RunSpec make_requeued_command() {
  RunSpec spec;
  spec.launcher = find_launcher("slurm");
  spec.command = {"python3", "train.py"};
  spec.fault_tolerance.requeue = true;
  return spec;
}

TEST(AdviseOnSpec, ARequeuedCommandWithoutASignalMayEndAtItsTimeLimit) {
  EXPECT_TRUE(warn_of_spec(make_requeued_command()).empty());
  const auto advice = advise_on_spec(make_requeued_command());
  ASSERT_EQ(advice.size(), 1u);
  EXPECT_NE(advice[0].find("only if the program calls should_stop()"), std::string::npos);
  EXPECT_NE(advice[0].find(" 2m before"), std::string::npos);
}

TEST(AdviseOnSpec, NothingIsSaidOfWhatWasDecided) {
  for (const auto* signal : {"none", "USR1", "USR2"}) {
    auto spec = make_requeued_command();
    spec.fault_tolerance.signal = signal;
    EXPECT_TRUE(advise_on_spec(spec).empty()) << signal;
  }
}

TEST(AdviseOnSpec, NothingIsSaidWhereNothingIsRequeued) {
  auto spec = make_requeued_command();
  spec.fault_tolerance.requeue = false;
  EXPECT_TRUE(advise_on_spec(spec).empty());
  spec = make_requeued_command();
  spec.launcher = find_launcher("local");
  EXPECT_TRUE(advise_on_spec(spec).empty());
  spec = make_requeued_command();
  spec.train.emplace();  // its signal is USR2 by itself
  spec.train->checkpoint.every_steps = 100;
  EXPECT_TRUE(advise_on_spec(spec).empty());
}

TEST(WarnOfSpec, AFolderForPushedProgramsIsOfNoUseWhereNothingIsPushed) {
  RunSpec spec;
  spec.launcher = find_launcher("ssh");
  options_of<SshOptions>(spec).hosts.emplace_back().host = "node1";
  options_of<SshOptions>(spec).push_folder = "/scratch/me";
  EXPECT_EQ(warn_of_spec(spec), std::vector<std::string>{"ssh.push_folder is not used: ssh.stage is shared"});
  options_of<SshOptions>(spec).stage = Stage::push;
  EXPECT_TRUE(warn_of_spec(spec).empty());
}

TEST(WarnOfSpec, ARequeuedTrainingWithoutCheckpointsMayLoseAllSteps) {
  const auto spec = std::make_unique<RunSpec>();
  spec->train = trainer::TrainConfig{};
  EXPECT_TRUE(warn_of_spec(*spec).empty());
  spec->fault_tolerance.requeue = true;
  ASSERT_EQ(warn_of_spec(*spec).size(), 1u);
  EXPECT_NE(warn_of_spec(*spec)[0].find("train.checkpoint.every"), std::string::npos);
  spec->train->checkpoint.every_epochs = 1;
  EXPECT_TRUE(warn_of_spec(*spec).empty());
}

}  // namespace
}  // namespace ddp::cli
