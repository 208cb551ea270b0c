#include "jobenv/probe/gpu_inventory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_folder.hpp"

namespace ddp {
namespace {

using testing::ElementsAre;

void write(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

TEST(GpuInventory, NoDriver) {
  EXPECT_EQ(read_gpus("/no/such/folder"), GpuInventory{});
}

TEST(GpuInventory, DriverAndDevicesInTheOrderOfTheirAddresses) {
  const TemporaryFolder folder;
  write(folder.path() / "version",
        "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build\nGCC version: "
        "12.2.0\n");
  write(folder.path() / "gpus/0000:4e:00.0/information", "Model: \t NVIDIA H100\nGPU UUID: \t GPU-bbbb\n");
  write(folder.path() / "gpus/0000:19:00.0/information", "Model: \t NVIDIA H100\nGPU UUID: \t GPU-aaaa\n");
  write(folder.path() / "gpus/0000:5d:00.0/information", "Model: \t NVIDIA H100\n");
  const auto found = read_gpus(folder.path());
  EXPECT_EQ(found.driver, "580.65.06");
  EXPECT_THAT(found.uuids, ElementsAre("GPU-aaaa", "GPU-bbbb"));
}

TEST(GpuInventory, TheOlderFormOfTheVersion) {
  const TemporaryFolder folder;
  write(folder.path() / "version",
        "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC 2023\n");
  EXPECT_EQ(read_gpus(folder.path()).driver, "535.104.05");
}

TEST(CountGpus, CountsDevicesAndNothingElseOfNvidia) {
  const TemporaryFolder devices;
  for (const char* name : {"nvidia0", "nvidia11", "nvidiactl", "nvidia-uvm", "nvidia", "nvidia0x", "null"})
    std::ofstream(devices / name) << "";
  EXPECT_EQ(count_gpus(devices.path()), 2);
  EXPECT_EQ(count_gpus(devices / "nothing"), 0);
}

}  // namespace
}  // namespace ddp
