#include "cli/store/state/confirmed_successes.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

const RunFolder kRun("/runs/a b-1");

TEST(ConfirmedSuccesses, AreKeptFromOneReaderToTheNext) {
  TemporaryFolder folder;
  ConfirmedSuccesses first(folder / "confirmed");
  EXPECT_FALSE(first.holds(kRun, 0));
  first.add(kRun, 0);
  EXPECT_TRUE(first.holds(kRun, 0));
  first.save();
  ConfirmedSuccesses second(folder / "confirmed");
  EXPECT_TRUE(second.holds(kRun, 0));
  EXPECT_FALSE(second.holds(kRun, 1)) << "another attempt";
  EXPECT_FALSE(second.holds(RunFolder("/runs/a"), 0)) << "another run";
  second.add(kRun, 1);
  second.save();
  EXPECT_TRUE(ConfirmedSuccesses(folder / "confirmed").holds(kRun, 0));
}

TEST(ConfirmedSuccesses, OfALineThatIsBeingWrittenAreNone) {
  TemporaryFolder folder;
  std::ofstream(folder / "confirmed") << "0 /runs/a b-1";
  EXPECT_FALSE(ConfirmedSuccesses(folder / "confirmed").holds(kRun, 0));
}

TEST(ConfirmedSuccesses, WithoutAFileAreNone) {
  ConfirmedSuccesses none;
  none.add(kRun, 0);
  none.save();
  EXPECT_FALSE(none.holds(kRun, 0));
}

}  // namespace
}  // namespace ddp::cli
