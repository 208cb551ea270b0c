#include "trainer/app/device.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ddp/trainer/invalid_configuration.hpp"
#include "jobenv/probe/gpu_inventory.hpp"

namespace ddp::trainer {
namespace {

TEST(Placement, RefusesOnTheCpuWhatOnlyCudaCanDo) {
  TrainConfig config;
  config.device = Device::cpu;
  EXPECT_TRUE(resolve_placement(config, {}).device.is_cpu());
  config.precision = Precision::fp16;
  const auto refuses = [&config](const std::string& what) {
    EXPECT_THAT([&config] { (void)resolve_placement(config, {}); },
                testing::ThrowsMessage<InvalidConfiguration>(testing::HasSubstr(what)));
  };
  refuses("train.precision fp16 works on CUDA devices only, but this run is on the CPU; use bf16");
  config.backend = "nccl";
  refuses("rendezvous.backend nccl works on CUDA devices only");
  if (count_gpus("/dev") > 0) return;
  config.device = Device::automatic;
  refuses("rendezvous.backend nccl works on CUDA devices only");
}

TEST(Placement, FullyShardedTrainingIsOnTheCpu) {
  TrainConfig config;
  config.strategy = with_defaults(bundled_schemas().strategies, "fsdp");
  const Placement placement = resolve_placement(config, {});
  EXPECT_TRUE(placement.device.is_cpu());
  EXPECT_EQ(placement.remark.empty(), count_gpus("/dev") == 0);
}

}  // namespace
}  // namespace ddp::trainer
