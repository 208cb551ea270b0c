#include "cli/doctor/partition_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;
using testing::SizeIs;

constexpr std::string_view kSinfo =
    "debug*|up|1:00:00|3|0/3/0/3|4|4000|(null)\n"
    "gpu|up|2-00:00:00|2|1/1/0/2|64|512000|gpu:a100:4(S:0-1)\n"
    "gpu|up|2-00:00:00|1|0/1/0/1|32|256000|gpu:v100:2\n"
    "old|down|infinite|9|0/0/9/9|8|1000+|(null)\n";

RunSpec spec_for(const std::string& partition) {
  RunSpec spec;
  spec.launcher = LauncherKind::slurm;
  if (!partition.empty()) spec.slurm.partition = partition;
  return spec;
}

Finding judge(const RunSpec& spec) {
  return judge_partitions(parse_partitions(kSinfo), &spec);
}

TEST(SlurmTime, AllItsForms) {
  EXPECT_EQ(parse_slurm_time("30"), seconds(1800));
  EXPECT_EQ(parse_slurm_time("30:15"), seconds(1815));
  EXPECT_EQ(parse_slurm_time("1:00:00"), seconds(3600));
  EXPECT_EQ(parse_slurm_time("2-01:00:00"), seconds(49 * 3600));
  EXPECT_EQ(parse_slurm_time("infinite"), std::nullopt);
  EXPECT_EQ(parse_slurm_time("n/a"), std::nullopt);
  EXPECT_EQ(parse_slurm_time(""), std::nullopt);
}

TEST(Partitions, AreParsed) {
  const auto rows = parse_partitions(kSinfo);
  ASSERT_THAT(rows, SizeIs(4));
  EXPECT_EQ(rows[0].name, "debug");
  EXPECT_TRUE(rows[0].is_default);
  EXPECT_EQ(rows[1].time_limit, seconds(48 * 3600));
  EXPECT_EQ(rows[2].gres, "gpu:v100:2");
  EXPECT_THAT(parse_partitions("slurm_load_partitions: Unable to contact\n"), SizeIs(0));
}

TEST(Partitions, ARunThatFits) {
  auto spec = spec_for("");
  EXPECT_EQ(judge(spec).verdict, Verdict::ok);
  EXPECT_EQ(judge(spec).found, "the run goes to debug");
  spec = spec_for("gpu");
  spec.resources.nodes = 3;
  spec.resources.gpus_per_node = 4;
  spec.resources.time = seconds(48 * 3600);
  EXPECT_EQ(judge(spec).verdict, Verdict::ok);
}

TEST(Partitions, ARunThatDoesNot) {
  const auto refused = [](const RunSpec& spec) {
    const auto finding = judge(spec);
    EXPECT_EQ(finding.verdict, Verdict::error);
    EXPECT_THAT(finding.details, SizeIs(5));
    return finding.found;
  };
  EXPECT_EQ(refused(spec_for("none")), "there is no partition none");
  EXPECT_EQ(refused(spec_for("old")), "partition old is down");
  auto spec = spec_for("");
  spec.resources.time = seconds(7200);
  EXPECT_EQ(refused(spec), "resources.time is 2h: partition debug ends jobs after 1:00:00");
  spec = spec_for("gpu");
  spec.resources.nodes = 4;
  EXPECT_EQ(refused(spec), "resources.nodes is 4: partition gpu has 3");
  spec = spec_for("");
  spec.resources.gpus_per_node = 1;
  EXPECT_THAT(refused(spec), HasSubstr("debug has no GPUs"));
}

TEST(Partitions, AreOnlyShownWhenNoRunIsMeant) {
  const auto finding = judge_partitions(parse_partitions(kSinfo), nullptr);
  EXPECT_EQ(finding.verdict, Verdict::ok);
  EXPECT_EQ(finding.found, "debug, gpu, old");
  EXPECT_THAT(finding.details.at(1), HasSubstr("debug (default)"));
  EXPECT_EQ(judge_partitions({}, nullptr).verdict, Verdict::error);
}

}  // namespace
}  // namespace ddp::cli
