#include "cli/store/submission_lock.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

/// Points share what is in the folder of the sweep: the copy of the working tree.
TEST(SubmissionLock, IsOneForAllPointsOfASweep) {
  const TemporaryFolder home;
  const RunFolder sweep(home / "runs/sweep-1");
  ASSERT_TRUE(sweep.create());
  std::ofstream(sweep.ledger_of("submit")).flush();
  auto lock = lock_submission(sweep.point_folder(0));
  ASSERT_TRUE(lock);
  for (const RunFolder& other : {sweep.point_folder(1), sweep}) {
    const auto refused = lock_submission(other);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ExitCode::still_running);
  }
  EXPECT_EQ(lock->close(), 0);
  EXPECT_TRUE(lock_submission(sweep.point_folder(1)));
}

}  // namespace
}  // namespace ddp::cli
