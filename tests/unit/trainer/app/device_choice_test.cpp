#include "trainer/app/device_choice.hpp"

#include <gmock/gmock.h>

#include <stdexcept>

namespace ddp::trainer {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

JobEnvironment rank_of_node(int local_rank, int local_world_size) {
  JobEnvironment job;
  job.rank = 10 + local_rank;
  job.local_rank = local_rank;
  job.local_world_size = local_world_size;
  return job;
}

TEST(DeviceChoice, IsTheLocalRankWhereAllDevicesAreToBeSeen) {
  for (int rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(choose_device(rank_of_node(rank, 4), 4), rank);
    EXPECT_EQ(choose_device(rank_of_node(rank, 4), 8), rank);
  }
}

TEST(DeviceChoice, IsTheOneDeviceThatASchedulerShowsToARank) {
  for (int rank = 0; rank < 4; ++rank) EXPECT_EQ(choose_device(rank_of_node(rank, 4), 1), 0);
}

TEST(DeviceChoice, IsNotGuessed) {
  EXPECT_THAT([] { (void)choose_device(rank_of_node(3, 4), 2); },
              ThrowsMessage<std::runtime_error>(AllOf(HasSubstr("this node has 4 ranks"),
                                                      HasSubstr("2 visible CUDA devices"),
                                                      HasSubstr("rank 13 cannot"))));
}

TEST(DeviceChoice, NeedsADevice) {
  EXPECT_THAT([] { (void)choose_device(rank_of_node(0, 1), 0); },
              ThrowsMessage<std::runtime_error>(HasSubstr("no CUDA device is visible")));
}

TEST(DeviceChoice, SeesWhetherEveryRankOfTheNodeHasOne) {
  EXPECT_TRUE(every_rank_has_a_device(rank_of_node(0, 2), 2));
  EXPECT_FALSE(every_rank_has_a_device(rank_of_node(0, 2), 1));
  EXPECT_FALSE(every_rank_has_a_device(rank_of_node(0, 1), 0));
}

TrainConfig replicas(int count) {
  TrainConfig config;
  config.strategy = {"data_parallel", {{"replicas", std::int64_t{count}}}};
  return config;
}

TEST(DeviceChoice, SeesWhetherEveryReplicaHasOne) {
  EXPECT_TRUE(suffices(2, replicas(2), rank_of_node(0, 1)));
  EXPECT_FALSE(suffices(2, replicas(3), rank_of_node(0, 1)));
  EXPECT_FALSE(suffices(2, TrainConfig(), rank_of_node(0, 3)));
}

TEST(DeviceChoice, TellsWhatIsNotUsed) {
  EXPECT_EQ(describe_unused_devices(0, TrainConfig(), rank_of_node(0, 4)), "");
  EXPECT_EQ(describe_unused_devices(1, TrainConfig(), rank_of_node(0, 4)),
            "1 CUDA device is visible but not used: this node has 4 ranks; if each rank sees a device of its "
            "own, set train.device: cuda");
  EXPECT_EQ(describe_unused_devices(2, TrainConfig(), rank_of_node(0, 4)),
            "2 CUDA devices are visible but not used: this node has 4 ranks; start as many ranks as devices, "
            "or make one device visible to each rank and set train.device: cuda");
  EXPECT_EQ(describe_unused_devices(2, replicas(3), rank_of_node(0, 1)),
            "2 CUDA devices are visible but not used: train.data_parallel.replicas is 3; use as many "
            "devices, or fewer replicas");
}

TEST(DeviceChoice, TellsThatAStrategyIsForTheCpu) {
  TrainConfig config;
  config.strategy.name = "fsdp";
  EXPECT_EQ(describe_untested_devices(config),
            "the GPUs are not used: strategy fsdp has not been tested on CUDA devices yet");
}

}  // namespace
}  // namespace ddp::trainer
