#include "cli/launchers/ssh/keys/host_file.hpp"

#include <gtest/gtest.h>

#include "jobenv/config/source_text.hpp"

namespace ddp::cli {
namespace {

tl::expected<std::vector<HostLine>, Errors> parse(const std::string& text) {
  return parse_host_file(make_source_text("hosts", "/", text, Origin::included_file));
}

TEST(HostFile, AHostALineWithItsSlots) {
  const auto hosts = parse("# my hosts\nnode1 slots=4\n\n  node2\tslots=8  # the big one\r\n10.0.0.3\n");
  ASSERT_TRUE(hosts);
  ASSERT_EQ(hosts->size(), 3u);
  EXPECT_EQ(hosts->at(0).host, (SshHost{"node1", 4, std::nullopt}));
  EXPECT_EQ(hosts->at(1).host, (SshHost{"node2", 8, std::nullopt}));
  EXPECT_EQ(hosts->at(2).host, (SshHost{"10.0.0.3", std::nullopt, std::nullopt}));
  EXPECT_EQ(hosts->at(1).place.describe(), "hosts:4");
}

TEST(HostFile, EveryWordThatMeansNothingIsNamedWithItsPlace) {
  const auto hosts = parse("node1 slot=4\nnode2 slots=many\nnode3 slots=0 slots=1\nnode4 slots=1 slots=2\n");
  ASSERT_FALSE(hosts);
  ASSERT_EQ(hosts.error().size(), 4u);
  EXPECT_EQ(hosts.error().at(0).message, "'slot=4' is not valid in a host file");
  EXPECT_EQ(hosts.error().at(0).where->column, 7);
  EXPECT_EQ(hosts.error().at(2).where->line, 3);
  EXPECT_EQ(hosts.error().at(3).where->column, 15);
}

TEST(HostFile, AFileWithoutHostsIsEmpty) {
  EXPECT_TRUE(parse("")->empty());
  EXPECT_TRUE(parse("\n# nobody\n")->empty());
}

}  // namespace
}  // namespace ddp::cli
