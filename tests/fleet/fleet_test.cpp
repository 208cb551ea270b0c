#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

#include "jobenv/agent/connection/head_address.hpp"
#include "jobenv/agent/process/descriptor_limit.hpp"
#include "jobenv/record/files/file_descriptor.hpp"
#include "jobenv/remote/remote_messages.hpp"
#include "tests/fleet/fleet_player.hpp"
#include "tests/support/places.hpp"
#include "tests/unit/jobenv/agent/agent_process.hpp"
#include "tests/unit/jobenv/agent/run_fixture.hpp"

namespace ddp::agent {
namespace {

constexpr int kRanksPerNode = 8;

LaunchPlan make_fleet_plan(const std::filesystem::path& run_dir, int nodes) {
  LaunchPlan plan = make_plan(run_dir, kRanksPerNode, "true");
  use_launcher(plan, "ssh");
  plan.nodes = nodes;
  for (int node = 0; node < nodes; ++node) plan.hosts.push_back("n" + std::to_string(node));
  plan.max_restarts = 1;
  return plan;
}

/// A run on ssh hosts whose head is real.
class Fleet : public testing::Test {
 protected:
  void SetUp() override { (void)raise_descriptor_limit(); }

  /// One rank fails, all start again, and the run succeeds.
  void play(int nodes, const std::string& setup = "") {
    const LaunchPlan plan = make_fleet_plan(run_.path(), nodes);
    run_.save(plan);
    EnvMap place;
    start_head(setup, place);
    FleetPlayer player(plan, place);
    const auto played = player.play();
    EXPECT_TRUE(played) << played.error().message;
    EXPECT_EQ(player.losses(), std::vector<std::string>());
    EXPECT_EQ(head_->wait(), 0) << run_.run_end();
    const int ranks = nodes * kRanksPerNode;
    EXPECT_EQ(run_.run_end().value("message", ""), std::to_string(ranks) + " ranks finished, 1 restart");
    EXPECT_EQ(std::ssize(run_.events("rank_exited")), 2 * ranks);
  }

 private:
  void start_head(const std::string& setup, EnvMap& place) {
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
    const FileDescriptor reader(ends[0]);
    FileDescriptor writer(ends[1]);
    const std::vector<std::string> arguments = {"head", "--run-dir", run_.path(), "--ready-fd",
                                                std::to_string(ends[1])};
    head_.emplace(arguments, EnvMap::capture(), setup, ends[1]);
    ASSERT_EQ(writer.close(), 0);
    std::array<char, 4096> line{};
    const auto size = read_up_to(reader.get(), line.data(), line.size());
    ASSERT_GT(size, 0);
    const auto answer = remote::parse_answer({line.data(), static_cast<std::size_t>(size) - 1});
    ASSERT_TRUE(answer) << answer.error().message;
    const auto& address = std::get<remote::HeadStarted>(*answer).address;
    place.set(kHeadEndpoints, address.endpoints).set(kHeadNonce, address.nonce);
  }

  RunFixture run_;
  std::optional<AgentProcess> head_;
};

TEST_F(Fleet, Of64NodesRestarts) {
  play(64);
}

TEST_F(Fleet, Of4096NodesRestarts) {
  play(4096);
}

TEST_F(Fleet, Of512NodesRestartsWhereAnFsyncTakesFiveMilliseconds) {
  play(512, "export LD_PRELOAD=" + build_path("tests/fleet/libslow_fsync.so"));
}

}  // namespace
}  // namespace ddp::agent
