#include "cli/store/log_points.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

using Points = std::vector<LogSizes>;

class PointsOfARank : public testing::Test {
 protected:
  void write(const std::string& text) const { std::ofstream(path, std::ios::app) << text; }
  Points read() {
    points.refresh();
    return points.points();
  }
  TemporaryFolder folder;
  std::filesystem::path path = folder / "rank-0.order";
  LogPoints points{path};
};

TEST_F(PointsOfARank, AreReadWhileTheyAreWritten) {
  EXPECT_EQ(read(), Points{});
  write("1 0 4\n2 3");
  EXPECT_EQ(read(), (Points{{0, 4}}));
  write(" 4\n");
  EXPECT_EQ(read(), (Points{{0, 4}, {3, 4}}));
}

TEST_F(PointsOfARank, DamagedLinesArePassedOver) {
  write("1 0 4\n2 3\nwords\n\n3 17 4 5 6\n" + std::string(200'000, '7') + "\n4 5 6\n");
  EXPECT_EQ(read(), (Points{{0, 4}, {5, 6}}));
}

TEST_F(PointsOfARank, WhatGoesBackIsPassedOver) {
  write("1 5 5\n2 4 6\n3 6 4\n4 6 6\n");
  EXPECT_EQ(read(), (Points{{5, 5}, {6, 6}}));
}

TEST_F(PointsOfARank, AreDroppedWhenBothLogsAreReadThatFar) {
  write("1 5 5\n2 6 7\n");
  EXPECT_EQ(read().size(), 2U);
  points.drop_before({5, 4});
  EXPECT_EQ(read().size(), 2U);
  points.drop_before({6, 6});
  EXPECT_EQ(read(), (Points{{6, 7}}));
  points.drop_before({6, 7});
  EXPECT_EQ(read(), Points{});
}

}  // namespace
}  // namespace ddp::cli
