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
                                                      HasSubstr("2 CUDA devices"), HasSubstr("rank 13?"))));
}

TEST(DeviceChoice, NeedsADevice) {
  EXPECT_THAT([] { (void)choose_device(rank_of_node(0, 1), 0); },
              ThrowsMessage<std::runtime_error>(HasSubstr("no CUDA device is to be seen")));
}

TEST(DeviceChoice, SeesWhetherEveryRankOfTheNodeHasOne) {
  EXPECT_TRUE(every_rank_has_a_device(rank_of_node(0, 2), 2));
  EXPECT_FALSE(every_rank_has_a_device(rank_of_node(0, 2), 1));
  EXPECT_FALSE(every_rank_has_a_device(rank_of_node(0, 1), 0));
}

}  // namespace
}  // namespace ddp::trainer
