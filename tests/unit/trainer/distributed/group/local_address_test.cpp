#include "trainer/distributed/group/local_address.hpp"

#include <gtest/gtest.h>

namespace ddp::trainer {
namespace {

TEST(LocalAddress, FacesItsTarget) {
  EXPECT_EQ(local_address_towards("127.0.0.1", 9), "127.0.0.1");
}

TEST(LocalAddress, OfAnUnknownHostIsNone) {
  EXPECT_EQ(local_address_towards("no-such-host.invalid", 9), std::nullopt);
}

}  // namespace
}  // namespace ddp::trainer
