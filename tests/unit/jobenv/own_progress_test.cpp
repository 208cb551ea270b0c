#include "ddp/jobenv/own_progress.hpp"

#include <gtest/gtest.h>

namespace ddp {
namespace {

/// Of the process, so it is never destroyed.
ProgressPage& shown_page() {
  static ProgressPage page;
  show_progress_on(page);
  return page;
}

TEST(OwnProgress, BeforeThereIsAPageNobodySeesIt) {
  count_part();
  const PeerWait wait;
}

TEST(OwnProgress, PartsAreCountedOnThePage) {
  ProgressPage& page = shown_page();
  page.parts = 0;
  count_part();
  count_part();
  EXPECT_EQ(page.parts, 2U);
}

TEST(OwnProgress, ARankWaitsUntilTheOutermostWaitIsOver) {
  ProgressPage& page = shown_page();
  EXPECT_EQ(page.waits_for_peers, 0U);
  {
    const PeerWait outer;
    { const PeerWait inner; }
    EXPECT_NE(page.waits_for_peers, 0U);
  }
  EXPECT_EQ(page.waits_for_peers, 0U);
}

}  // namespace
}  // namespace ddp
