#include "trainer/sharding/side_streams.hpp"

#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <utility>
#include <vector>

namespace ddp::trainer {
namespace {

constexpr auto kFakeType = c10::DeviceType::PrivateUse1;
constexpr c10::StreamId kCurrent = 1;

/// Which stream waits for which.
using Order = std::pair<c10::StreamId, c10::StreamId>;

std::vector<Order> orders;
std::vector<bool> priorities;

/// A device whose streams do nothing; an event is the stream that it was recorded on.
class FakeDevice final : public c10::impl::DeviceGuardImplInterface {
 public:
  [[nodiscard]] c10::DeviceType type() const override { return kFakeType; }
  [[nodiscard]] c10::Device exchangeDevice(c10::Device) const override { return getDevice(); }
  [[nodiscard]] c10::Device getDevice() const override { return {kFakeType, 0}; }
  void setDevice(c10::Device) const override {}
  void uncheckedSetDevice(c10::Device) const noexcept override {}
  [[nodiscard]] c10::Stream getStream(c10::Device device) const override {
    return c10::Stream(c10::Stream::UNSAFE, device, kCurrent);
  }
  [[nodiscard]] c10::Stream getStreamFromGlobalPool(c10::Device device, bool high) const override {
    priorities.push_back(high);
    return c10::Stream(c10::Stream::UNSAFE, device, kCurrent + std::ssize(priorities));
  }
  [[nodiscard]] c10::Stream exchangeStream(c10::Stream stream) const override { return stream; }
  void record(void** event, const c10::Stream& stream, c10::DeviceIndex, c10::EventFlag) const override {
    *event = reinterpret_cast<void*>(stream.id());
  }
  void block(void* event, const c10::Stream& stream) const override {
    orders.emplace_back(stream.id(), reinterpret_cast<c10::StreamId>(event));
  }
  [[nodiscard]] c10::DeviceIndex deviceCount() const noexcept override { return 0; }  // for all but this test
};

const c10::impl::DeviceGuardImplRegistrar kFakeDevice(kFakeType, new FakeDevice);

class SideStreamsTest : public testing::Test {
 protected:
  void SetUp() override {
    orders.clear();
    priorities.clear();
    streams.emplace(c10::Device(kFakeType, 0));
  }

  std::optional<SideStreams> streams;
};

TEST_F(SideStreamsTest, AreFourWithThePrioritiesOfFsdp2) {
  EXPECT_THAT(priorities, testing::ElementsAre(true, true, true, false));
  EXPECT_EQ(pick_stream(streams, &SideStreams::gather), streams->gather);
  EXPECT_NE(streams->gather, streams->copy_in);
}

TEST_F(SideStreamsTest, WithoutThemThereIsNoneToPick) {
  EXPECT_EQ(pick_stream(std::nullopt, &SideStreams::gather), std::nullopt);
}

TEST_F(SideStreamsTest, OneIsQueuedAfterAnother) {
  queue_after(streams->gather, streams->copy_in);
  EXPECT_THAT(orders, testing::ElementsAre(Order{streams->gather.id(), streams->copy_in.id()}));
}

TEST_F(SideStreamsTest, JoinedTheyAllWaitForEachOther) {
  streams->join();
  const std::vector<c10::StreamId> sides = {streams->copy_in.id(), streams->gather.id(), streams->reduce.id(),
                                            streams->all_reduce.id()};
  std::vector<Order> expected;
  for (const c10::StreamId side : sides) expected.emplace_back(kCurrent, side);
  for (const c10::StreamId side : sides) expected.emplace_back(side, kCurrent);
  EXPECT_EQ(orders, expected);
}

}  // namespace
}  // namespace ddp::trainer
