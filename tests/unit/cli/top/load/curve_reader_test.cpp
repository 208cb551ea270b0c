#include "cli/top/load/curve_reader.hpp"

#include <gmock/gmock.h>

#include <fstream>

#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class CurveReaderTest : public testing::Test {
 protected:
  void train(int attempt, int step, double loss) const {
    std::ofstream(run.metrics(), std::ios::app)
        << R"({"kind":"train","attempt":)" << attempt << R"(,"step":)" << step << R"(,"loss":)" << loss
        << R"(,"samples_per_second":100})" << '\n';
  }

  TemporaryFolder folder;
  RunFolder run{folder.path()};
  CurveReader reader{run};
};

TEST_F(CurveReaderTest, ReadsWhatIsAppended) {
  EXPECT_THAT(reader.look().loss, IsEmpty()) << "there is no file yet";
  train(0, 1, 0.5);
  EXPECT_THAT(reader.look().loss, ElementsAre(0.5));
  std::ofstream(run.metrics(), std::ios::app) << R"({"kind":"evaluate","attempt":0,"step":1,"loss":9})"
                                              << "\n{\"kin";
  EXPECT_THAT(reader.look().loss, ElementsAre(0.5)) << "an evaluation, and half a line";
}

TEST_F(CurveReaderTest, LeavesOutStepsThatWereDoneAgain) {
  for (int step = 1; step <= 4; ++step) train(0, step, step);
  train(1, 3, 30);
  train(0, 5, 5);
  const auto curve = reader.look();
  EXPECT_THAT(curve.loss, ElementsAre(1, 2, 30));
  EXPECT_THAT(curve.samples_per_second, ElementsAre(100, 100, 100));
}

TEST_F(CurveReaderTest, OfALongFileReadsTheEnd) {
  for (int step = 1; step <= 20'000; ++step) train(0, step, 1);
  train(0, 20'001, 2);
  const auto curve = reader.look();
  EXPECT_LT(curve.loss.size(), 20'000U);
  EXPECT_EQ(curve.loss.back(), 2);
}

}  // namespace
}  // namespace ddp::cli
