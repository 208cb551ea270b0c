#include "cli/launchers/ssh/connection/host_key.hpp"

#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

TEST(MarkedKeys, OnlyLinesWithAMarkerAreThem) {
  const auto keys = parse_marked_keys(
      "node1 ssh-ed25519 AAAAC3Nz\n"
      "# @revoked * ssh-rsa AAAAB3\n"
      "@revoked * ssh-rsa AAAAB3 a comment\n"
      "@cert-authority *.example.org ssh-ed25519 AAAAC9\n"
      "@revoked torn\n");
  ASSERT_EQ(keys.size(), 2u);
  EXPECT_EQ(keys[0].marker, "@revoked");
  EXPECT_EQ(keys[0].key, "AAAAB3");
  EXPECT_EQ(keys[1].marker, "@cert-authority");
}

}  // namespace
}  // namespace ddp::cli
