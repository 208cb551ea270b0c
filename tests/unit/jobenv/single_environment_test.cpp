#include <gtest/gtest.h>

#include "ddp/jobenv/job_environment.hpp"

namespace ddp {
namespace {

std::vector<std::string> gpus_of(const std::string& visible) {
  std::vector<std::string> uuids;
  int ordinal = 0;
  const JobEnvironment job = *JobEnvironment::from(EnvMap().set("CUDA_VISIBLE_DEVICES", visible));
  for (const Gpu& gpu : job.gpus) {
    EXPECT_EQ(gpu.ordinal, ordinal++);
    uuids.push_back(gpu.uuid);
  }
  return uuids;
}

TEST(SingleEnvironment, AProcessOnItsOwnIsTheOnlyRank) {
  const JobEnvironment job =
      *JobEnvironment::from(EnvMap({{"PATH", "/bin"}, {"DDPSUBMIT_HEAD", "10.0.0.1:5"}}));
  EXPECT_EQ(job.source, EnvironmentSource::single);
  EXPECT_EQ(name_of(job.source), "single");
  EXPECT_EQ(job.launcher, "single");
  EXPECT_EQ(job.rank, 0);
  EXPECT_EQ(job.world_size, 1);
  EXPECT_EQ(job.master_port, 0);
  EXPECT_TRUE(job.gpus.empty());
  EXPECT_EQ(job.origins.at("rank"), "default");
}

TEST(SingleEnvironment, ReadsVisibleGpusAsCudaDoes) {
  using Uuids = std::vector<std::string>;
  EXPECT_EQ(gpus_of("0"), (Uuids{"0"}));
  EXPECT_EQ(gpus_of("3,1"), (Uuids{"3", "1"}));
  EXPECT_EQ(gpus_of("GPU-8932f937,MIG-1"), (Uuids{"GPU-8932f937", "MIG-1"}));
  EXPECT_EQ(gpus_of("0,-1,2"), (Uuids{"0"}));
  EXPECT_EQ(gpus_of("NoDevFiles"), Uuids{});
  EXPECT_EQ(gpus_of("-1"), Uuids{});
  EXPECT_EQ(gpus_of(""), Uuids{});
}

TEST(SingleEnvironment, EveryFieldHasARowAndAnOrigin) {
  const JobEnvironment job = *JobEnvironment::from(EnvMap().set("CUDA_VISIBLE_DEVICES", "1,2"));
  const std::vector<EnvironmentRow> rows = rows_of(job);
  EXPECT_EQ(rows.size(), 24U);
  EXPECT_EQ(rows.size(), job.origins.size());
  for (const EnvironmentRow& row : rows) {
    EXPECT_EQ(row.origin, row.field == "gpus" ? "CUDA_VISIBLE_DEVICES" : "default") << row.field;
    EXPECT_TRUE(row.field != "gpus" || row.value == "1,2") << row.value;
  }
}

}  // namespace
}  // namespace ddp
