#include "jobenv/agent/connection/socket_address.hpp"

#include <gtest/gtest.h>

namespace ddp::agent {
namespace {

TEST(SocketAddress, EndpointsComeBack) {
  for (const char* text : {"10.0.0.1:4000", "[fd00::1]:65535", "[::1]:1"}) {
    const auto address = SocketAddress::parse(std::string_view(text));
    ASSERT_TRUE(address) << text;
    EXPECT_EQ(address->endpoint(), text);
  }
}

TEST(SocketAddress, RefusesWhatIsNone) {
  for (const char* text : {"", ":", "10.0.0.1", "10.0.0.1:", "10.0.0.1:0", "10.0.0.1:65536", "10.0.0.1:+5",
                           "host:80", "10.0.0:80", "[::1]"}) {
    EXPECT_FALSE(SocketAddress::parse(std::string_view(text))) << text;
  }
}

TEST(SocketAddress, AnIpv4AddressWithinIpv6IsIpv4) {
  const auto address = SocketAddress::parse("::ffff:10.0.0.1", 80);
  ASSERT_TRUE(address);
  EXPECT_EQ(address->host(), "10.0.0.1");
}

TEST(SocketAddress, TheLocalAddressesHaveNoLoopback) {
  for (const std::string& host : resolve_local_addresses()) {
    const auto address = SocketAddress::parse(host, 1);
    ASSERT_TRUE(address) << host;
    EXPECT_FALSE(address->is_loopback()) << host;
  }
}

TEST(SocketAddress, AnInterfaceHasItsAddress) {
  EXPECT_EQ(resolve_interface("lo").value_or(""), "127.0.0.1");
  const auto unknown = resolve_interface("nic-that-is-not-there");
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().hint.find("lo"), std::string::npos) << "the hint lists those that are there";
}

}  // namespace
}  // namespace ddp::agent
