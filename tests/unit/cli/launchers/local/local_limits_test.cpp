#include "cli/launchers/local/local_limits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint64_t kGib = std::uint64_t{1} << 30;
const MachineResources kMachine{
    .gpus = 2, .cpus = 8, .memory_bytes = 16 * kGib, .interfaces = {"lo", "eth0"}};

std::vector<std::string> messages_of(const Errors& errors) {
  std::vector<std::string> messages;
  for (const auto& error : errors) {
    EXPECT_EQ(error.code, ExitCode::preflight_failed);
    EXPECT_NE(error.hint, "");
    messages.push_back(error.message);
  }
  return messages;
}

std::vector<std::string> exceeded_by(const RunSpec& spec, const MachineResources& machine = kMachine) {
  return messages_of(find_exceeded_limits(spec, machine));
}

RunSpec training_on(trainer::Device device, int ranks) {
  RunSpec spec;
  spec.resources.tasks_per_node = ranks;
  spec.train.emplace().device = device;
  return spec;
}

TEST(ExceededLimits, NoneByDefault) {
  EXPECT_THAT(exceeded_by(RunSpec{}), IsEmpty());
  EXPECT_THAT(find_loose_limits(RunSpec{}, kMachine), IsEmpty());
}

TEST(ExceededLimits, MoreGpusThanThereAre) {
  RunSpec spec;
  spec.resources.gpus_per_node = 2;
  EXPECT_THAT(exceeded_by(spec), IsEmpty());
  spec.resources.gpus_per_node = 3;
  EXPECT_THAT(exceeded_by(spec),
              ElementsAre("resources.gpus_per_node is 3, but this machine has 2 NVIDIA GPUs"));
  auto machine = kMachine;
  machine.gpus = 0;
  EXPECT_THAT(exceeded_by(spec, machine),
              ElementsAre("resources.gpus_per_node is 3, but this machine has no NVIDIA GPU"));
}

TEST(ExceededLimits, AGpuForEachRankOnCuda) {
  EXPECT_THAT(exceeded_by(training_on(trainer::Device::cuda, 2)), IsEmpty());
  EXPECT_THAT(exceeded_by(training_on(trainer::Device::automatic, 3)), IsEmpty());
  EXPECT_THAT(
      exceeded_by(training_on(trainer::Device::cuda, 3)),
      ElementsAre("train.device is cuda: 3 ranks need a GPU each, but this machine has 2 NVIDIA GPUs"));
}

TEST(ExceededLimits, AGpuForEachReplicaOnCuda) {
  RunSpec spec = training_on(trainer::Device::cuda, 1);
  spec.train->strategy = {"data_parallel", {{"replicas", std::int64_t{2}}}};
  EXPECT_THAT(exceeded_by(spec), IsEmpty());
  spec.train->strategy.options["replicas"] = std::int64_t{4};
  EXPECT_THAT(
      exceeded_by(spec),
      ElementsAre("train.device is cuda: 4 replicas need a GPU each, but this machine has 2 NVIDIA GPUs"));
}

TEST(ExceededLimits, WhatOnlyAGpuCanDo) {
  RunSpec spec = training_on(trainer::Device::automatic, 1);
  spec.train->precision = trainer::Precision::fp16;
  spec.rendezvous.backend = "nccl";
  EXPECT_THAT(exceeded_by(spec), IsEmpty());
  auto machine = kMachine;
  machine.gpus = 0;
  EXPECT_THAT(
      exceeded_by(spec, machine),
      ElementsAre(
          "train.precision is fp16, which needs CUDA: a GPU is needed, but this machine has no NVIDIA GPU",
          "rendezvous.backend is nccl, which needs CUDA: a GPU is needed, but this machine has no NVIDIA "
          "GPU"));
  machine.gpus = 1;
  spec.resources.tasks_per_node = 2;
  EXPECT_THAT(exceeded_by(spec, machine), testing::SizeIs(2));
  spec.train->precision = trainer::Precision::bf16;
  spec.rendezvous.backend = "gloo";
  EXPECT_THAT(exceeded_by(spec, machine), IsEmpty());
}

TEST(ExceededLimits, MoreMemoryThanThereIs) {
  RunSpec spec;
  spec.resources.memory_bytes = 16 * kGib;
  EXPECT_THAT(exceeded_by(spec), IsEmpty());
  EXPECT_THAT(find_loose_limits(spec, kMachine),
              ElementsAre("resources.memory is not enforced by launcher local"));
  spec.resources.memory_bytes = 64 * kGib;
  EXPECT_THAT(exceeded_by(spec), ElementsAre("resources.memory is 64.0 GiB, but this machine has 16.0 GiB"));
}

TEST(ExceededLimits, AnInterfaceThatIsNotThere) {
  RunSpec spec;
  spec.rendezvous.interface = "ib0";
  const auto errors = find_exceeded_limits(spec, kMachine);
  EXPECT_THAT(messages_of(errors),
              ElementsAre("rendezvous.interface is 'ib0': this machine has no such interface that is up"));
  EXPECT_EQ(errors.at(0).hint, "use auto, lo or eth0");
  spec.rendezvous.interface = "eth0";
  EXPECT_THAT(exceeded_by(spec), IsEmpty());
  EXPECT_EQ(find_loose_limits(spec, kMachine).size(), 1u);
  spec.rendezvous.interface = "lo";
  EXPECT_THAT(find_loose_limits(spec, kMachine), IsEmpty());
}

TEST(ExceededLimits, AreShownWhereTheyAreWritten) {
  RunSpec spec;
  spec.resources.gpus_per_node = 4;
  const auto source = std::make_shared<SourceText>(
      SourceText{"run.yaml", "/", "resources: {gpus_per_node: 4}\n", {0, 30}, Origin::config_file});
  spec.origins.by_path["resources.gpus_per_node"] = Place{source, 1, 28, 1};
  const auto error = find_exceeded_limits(spec, kMachine).at(0);
  ASSERT_TRUE(error.where);
  EXPECT_EQ(error.where->line, 1);
  EXPECT_EQ(error.where->column, 28);
}

TEST(LooseLimits, MoreCpusThanThereAre) {
  RunSpec spec;
  spec.resources.tasks_per_node = 2;
  spec.resources.cpus_per_task = 4;
  EXPECT_THAT(find_loose_limits(spec, kMachine), IsEmpty());
  spec.resources.cpus_per_task = 5;
  EXPECT_THAT(exceeded_by(spec), IsEmpty());
  EXPECT_THAT(find_loose_limits(spec, kMachine),
              ElementsAre("resources ask for 2 x 5 CPUs: the ranks share the 8 CPUs of this machine"));
}

}  // namespace
}  // namespace ddp::cli
