#include "jobenv/probe/node_facts.hpp"

#include <gtest/gtest.h>

namespace ddp {
namespace {

NodeFacts some_facts() {
  NodeFacts facts{.node_rank = 3,
                  .host = "node4",
                  .agent_version = "1.2.3",
                  .kernel = "6.1.0",
                  .cpus = 64,
                  .memory_available_bytes = std::uint64_t{1} << 40};
  facts.run_root = {"lustre", 1'000'000, 500, 400};
  facts.temporary = {"tmpfs", 2'000'000, 0, 0};
  facts.shared_problem = "none of your files";
  facts.network = {"10.0.0.4", "ib0", 40000, -0.25, 1e-5, "a firewall"};
  facts.gpus = {"580.65.06", {"GPU-a", "GPU-b"}};
  facts.visible_gpus = "0,1";
  facts.trainer = {"", {"libc10.so"}, "does not start"};
  facts.program_problem = "is not in PATH";
  return facts;
}

TEST(NodeFacts, ComeBackFromJson) {
  EXPECT_EQ(parse_node_facts(to_json(some_facts())), some_facts());
  EXPECT_EQ(parse_node_facts(to_json(NodeFacts{})), NodeFacts{});
}

TEST(NodeFacts, NameWhatIsWrongInAPart) {
  auto object = to_json(some_facts());
  object["network"]["free_port"] = 70000;
  const auto parsed = parse_node_facts(object);
  ASSERT_FALSE(parsed);
  EXPECT_NE(parsed.error().message.find("network"), std::string::npos);
  EXPECT_NE(parsed.error().message.find("free_port"), std::string::npos);
}

TEST(NodeFacts, RefuseWhatIsNotTheirs) {
  EXPECT_FALSE(parse_node_facts(nlohmann::json::object()));
  EXPECT_FALSE(parse_node_facts(nlohmann::json()));
  auto object = to_json(some_facts());
  object["surplus"] = 1;
  EXPECT_FALSE(parse_node_facts(object));
}

}  // namespace
}  // namespace ddp
