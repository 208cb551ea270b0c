#include "trainer/loop/await_own_part.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <thread>

#include "tests/unit/trainer/shown_page.hpp"

namespace ddp::trainer {
namespace {

/// What the write of a test does.
struct LedWrite {
  std::promise<void> end;
  std::atomic<bool> waits = false;  // for other ranks
  std::atomic<int> looks = 0;       // how often somebody has asked whether it does
  std::atomic<bool> shown = false;  // whether the page has told it meanwhile
};

class LedSaver final : public CheckpointSaver {
 public:
  explicit LedSaver(LedWrite& led) : led_(led) {}

  SaveOutcome save(const TrainingState& /*state*/, const SaveOptions& /*options*/) override {
    led_.end.get_future().wait();
    return {};
  }
  [[nodiscard]] bool waits_for_ranks() const noexcept override {
    ++led_.looks;
    if (shown_page().waits_for_peers > 0) led_.shown = true;
    return led_.waits;
  }

 private:
  LedWrite& led_;
};

/// This rank, which has begun to write its part, and its page.
class AwaitOwnPart : public testing::Test {
 protected:
  AwaitOwnPart() { writer_.begin_in_place({}, {}); }

  /// What was set before has been seen, and what follows from it is done.
  void await_looks() const {
    const int before = led_.looks;
    while (led_.looks < before + 2) std::this_thread::yield();
  }

  LedWrite led_;
  ProgressPage& page_ = shown_page();
  CheckpointWriter writer_{std::make_unique<LedSaver>(led_)};
};

TEST_F(AwaitOwnPart, ThePageTellsWhenOnlyOtherRanksStillWrite) {
  std::jthread training([&] { EXPECT_TRUE(await_own_part(writer_, std::chrono::hours{1})); });
  await_looks();
  EXPECT_EQ(page_.waits_for_peers, 0U);  // its own disk may hang
  led_.waits = true;
  await_looks();
  EXPECT_EQ(page_.waits_for_peers, 1U);
  led_.waits = false;
  await_looks();
  EXPECT_EQ(page_.waits_for_peers, 0U);  // rank 0 writes more files when all have reported
  led_.waits = true;
  await_looks();
  EXPECT_EQ(page_.waits_for_peers, 1U);
  led_.end.set_value();
  training.join();
  EXPECT_EQ(page_.waits_for_peers, 0U);
}

TEST_F(AwaitOwnPart, ThePageTellsNothingMoreWhenTheTimeIsOver) {
  led_.waits = true;
  for (std::chrono::milliseconds limit{50}; !led_.shown; limit *= 2)
    EXPECT_FALSE(await_own_part(writer_, limit));
  EXPECT_EQ(page_.waits_for_peers, 0U);
  led_.end.set_value();
  EXPECT_TRUE(await_own_part(writer_, std::chrono::hours{1}));
}

}  // namespace
}  // namespace ddp::trainer
