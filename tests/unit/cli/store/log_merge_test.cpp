#include "cli/store/log_merge.hpp"

#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

constexpr auto kOut = LogStream::out;
constexpr auto kErr = LogStream::err;
using Spans = std::vector<LogSpan>;
using Points = std::vector<LogSizes>;

TEST(LogMerge, WithoutPointsStdoutComesFirst) {
  EXPECT_EQ(merge_logs({}, {}, {3, 4}), (Spans{{kOut, 3}, {kErr, 4}}));
  EXPECT_EQ(merge_logs({}, {2, 4}, {3, 4}), (Spans{{kOut, 3}}));
  EXPECT_EQ(merge_logs({}, {}, {}), Spans{});
}

TEST(LogMerge, PointsTellTheTurns) {
  const Points points{{0, 4}, {2, 4}, {5, 9}};
  EXPECT_EQ(merge_logs(points, {}, {7, 11}),
            (Spans{{kErr, 4}, {kOut, 2}, {kOut, 5}, {kErr, 9}, {kOut, 7}, {kErr, 11}}));
}

TEST(LogMerge, GoesOnWhereverItWasLeft) {
  const Points points{{0, 4}, {5, 9}};
  EXPECT_EQ(merge_logs(points, {0, 2}, {7, 11}),
            (Spans{{kErr, 4}, {kOut, 5}, {kErr, 9}, {kOut, 7}, {kErr, 11}}));
  EXPECT_EQ(merge_logs(points, {3, 4}, {7, 11}), (Spans{{kOut, 5}, {kErr, 9}, {kOut, 7}, {kErr, 11}}));
  EXPECT_EQ(merge_logs(points, {6, 4}, {7, 11}), (Spans{{kErr, 9}, {kOut, 7}, {kErr, 11}}))
      << "a line was read to its end";
}

TEST(LogMerge, PointsBeyondTheLogsEndWhereTheLogsEnd) {
  const Points points{{0, 4}, {5, 9}, {20, 30}};
  EXPECT_EQ(merge_logs(points, {}, {3, 6}), (Spans{{kErr, 4}, {kOut, 3}, {kErr, 6}}));
  EXPECT_EQ(merge_logs(points, {}, {0, 6}), (Spans{{kErr, 4}, {kErr, 6}}));
  EXPECT_EQ(merge_logs(points, {}, {}), Spans{});
}

TEST(LogMerge, WhatIsBehindTheLastPointFollowsIt) {
  EXPECT_EQ(merge_logs(Points{{1, 1}}, {}, {100, 200}),
            (Spans{{kOut, 1}, {kErr, 1}, {kOut, 100}, {kErr, 200}}));
}

}  // namespace
}  // namespace ddp::cli
