#include "cli/doctor/probe_spec.hpp"
#include "cli/launchers/slurm/keys/slurm_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

RunSpec large_training() {
  RunSpec spec;
  spec.launcher = find_launcher("slurm");
  spec.resources.nodes = 4;
  spec.resources.tasks_per_node = 8;
  spec.resources.gpus_per_node = 8;
  spec.resources.time = seconds(86'400);
  options_of<SlurmOptions>(spec).partition = "gpu";
  options_of<SlurmOptions>(spec).mail_user = "me";
  options_of<SlurmOptions>(spec).comment = "ours";
  options_of<SlurmOptions>(spec).dependency = "singleton";
  options_of<SlurmOptions>(spec).output = "/%j.out";
  options_of<SlurmOptions>(spec).srun_options = {{"container-image", "a.sqsh"}};
  spec.environment.secrets = {"TOKEN"};
  spec.notify.command = {"./notify.sh"};
  spec.fault_tolerance.requeue = true;
  spec.fault_tolerance.max_restarts = 3;
  spec.train.emplace();
  return spec;
}

TEST(ProbeSpec, TheSameResourcesAndAnotherProgram) {
  const auto spec = large_training();
  const auto probe = make_probe_spec(spec, "/bin/ddp-agent", "/bin/ddptrain");
  auto resources = spec.resources;
  resources.time = seconds(300);
  EXPECT_EQ(probe.resources, resources);
  EXPECT_EQ(probe.launcher, find_launcher("slurm"));
  EXPECT_EQ(options_of<SlurmOptions>(probe).partition, options_of<SlurmOptions>(spec).partition);
  EXPECT_FALSE(options_of<SlurmOptions>(probe).mail_user);
  EXPECT_FALSE(options_of<SlurmOptions>(probe).dependency);
  EXPECT_FALSE(options_of<SlurmOptions>(probe).output);
  EXPECT_EQ(options_of<SlurmOptions>(probe).comment, "ours");
  EXPECT_EQ(options_of<SlurmOptions>(probe).srun_options, options_of<SlurmOptions>(spec).srun_options);
  EXPECT_THAT(probe.environment.secrets, IsEmpty());
  EXPECT_THAT(probe.notify.command, IsEmpty());
  EXPECT_FALSE(probe.train);
  EXPECT_THAT(probe.command, ElementsAre("/bin/ddp-agent", "probe", "--trainer", "/bin/ddptrain"));
  EXPECT_FALSE(probe.fault_tolerance.requeue);
  EXPECT_EQ(probe.fault_tolerance.max_restarts, 0);
  EXPECT_EQ(probe.stop_signal(), std::nullopt);
}

TEST(ProbeSpec, LooksForTheProgramOfACommand) {
  RunSpec spec;
  spec.command = {"python3", "train.py"};
  EXPECT_THAT(make_probe_spec(spec, "a", "").command, ElementsAre("a", "probe", "--program", "python3"));
}

TEST(ProbeSpec, AShorterLimitStays) {
  RunSpec spec;
  spec.resources.time = seconds(120);
  EXPECT_EQ(make_probe_spec(spec, "a", "").resources.time, seconds(120));
  EXPECT_THAT(make_probe_spec(spec, "a", "").command, ElementsAre("a", "probe"));
}

}  // namespace
}  // namespace ddp::cli
