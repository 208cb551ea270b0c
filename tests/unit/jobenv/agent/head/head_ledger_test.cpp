#include "jobenv/agent/head/head_ledger.hpp"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/unit/jobenv/agent/run_fixture.hpp"
#include "tests/unit/jobenv/agent/run_loop.hpp"

namespace {
int syncs = 0;
}  // namespace

/// That of this program, in the place of the C library's.
extern "C" int fsync(int descriptor) {
  ++syncs;
  return static_cast<int>(syscall(SYS_fsync, descriptor));
}

namespace ddp::agent {
namespace {

class HeadLedgerTest : public testing::Test {
 protected:
  HeadLedgerTest() { syncs = 0; }

  void end_turn() {
    loop_->after(std::chrono::milliseconds(0), [this] { loop_->quit(); });
    loop_->run();
  }
  void end_ranks() {
    for (int rank = 0; rank < 100; ++rank) ledger_->write("rank_exited", {{"rank", rank}});
  }

  RunFixture run_;
  std::unique_ptr<EventLoop> loop_ = EventLoop::create({}, [](int) {}).value();
  std::vector<std::string> said_;
  std::optional<HeadLedger> ledger_{std::in_place, *loop_,
                                    LedgerWriter::open(run_.folder(), "head-0").value(),
                                    [this](const std::string& line) { said_.push_back(line); }};
};

TEST_F(HeadLedgerTest, SyncsTheEventsOfATurnTogether) {
  end_ranks();
  EXPECT_EQ(syncs, 0);
  EXPECT_EQ(run_.events("rank_exited").size(), 100u) << "others can see them";
  end_turn();
  EXPECT_EQ(syncs, 1);
  end_turn();
  EXPECT_EQ(syncs, 1);
  end_ranks();
  end_turn();
  EXPECT_EQ(syncs, 2);
}

TEST_F(HeadLedgerTest, SyncsAnAwaitedEventAtOnceWithAllBeforeIt) {
  for (const AwaitedEvent& awaited : awaited_events()) {
    syncs = 0;
    end_ranks();
    ledger_->write(awaited.name, nlohmann::json::object());
    EXPECT_EQ(syncs, 1) << awaited.name;
    end_turn();
    EXPECT_EQ(syncs, 1) << awaited.name;
  }
}

TEST_F(HeadLedgerTest, LeavesNothingBehindThatIsNotSynced) {
  end_ranks();
  ledger_.reset();
  EXPECT_EQ(syncs, 1);
  end_turn();
  EXPECT_EQ(syncs, 1);
}

}  // namespace
}  // namespace ddp::agent
