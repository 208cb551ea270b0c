#include "cli/store/log_merge.hpp"

#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

constexpr auto out = LogStream::out;
constexpr auto err = LogStream::err;
using Spans = std::vector<LogSpan>;
using Points = std::vector<LogSizes>;

TEST(LogMerge, WithoutPointsStdoutComesFirst) {
  EXPECT_EQ(merge_logs({}, {}, {3, 4}), (Spans{{out, 3}, {err, 4}}));
  EXPECT_EQ(merge_logs({}, {2, 4}, {3, 4}), (Spans{{out, 3}}));
  EXPECT_EQ(merge_logs({}, {}, {}), Spans{});
}

TEST(LogMerge, PointsTellTheTurns) {
  const Points points{{0, 4}, {2, 4}, {5, 9}};
  EXPECT_EQ(merge_logs(points, {}, {7, 11}),
            (Spans{{err, 4}, {out, 2}, {out, 5}, {err, 9}, {out, 7}, {err, 11}}));
}

TEST(LogMerge, GoesOnWhereverItWasLeft) {
  const Points points{{0, 4}, {5, 9}};
  EXPECT_EQ(merge_logs(points, {0, 2}, {7, 11}), (Spans{{err, 4}, {out, 5}, {err, 9}, {out, 7}, {err, 11}}));
  EXPECT_EQ(merge_logs(points, {3, 4}, {7, 11}), (Spans{{out, 5}, {err, 9}, {out, 7}, {err, 11}}));
  EXPECT_EQ(merge_logs(points, {6, 4}, {7, 11}), (Spans{{err, 9}, {out, 7}, {err, 11}}))
      << "a line was read to its end";
}

TEST(LogMerge, PointsBeyondTheLogsEndWhereTheLogsEnd) {
  const Points points{{0, 4}, {5, 9}, {20, 30}};
  EXPECT_EQ(merge_logs(points, {}, {3, 6}), (Spans{{err, 4}, {out, 3}, {err, 6}}));
  EXPECT_EQ(merge_logs(points, {}, {0, 6}), (Spans{{err, 4}, {err, 6}}));
  EXPECT_EQ(merge_logs(points, {}, {}), Spans{});
}

TEST(LogMerge, WhatIsBehindTheLastPointFollowsIt) {
  EXPECT_EQ(merge_logs(Points{{1, 1}}, {}, {100, 200}), (Spans{{out, 1}, {err, 1}, {out, 100}, {err, 200}}));
}

}  // namespace
}  // namespace ddp::cli
