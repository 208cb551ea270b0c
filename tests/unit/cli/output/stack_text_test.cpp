#include "cli/output/stack_text.hpp"

#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

RankStack stack_of(int rank, const std::string& host, const std::string& frame) {
  return {rank, host, "sleeping", "py-spy", {frame, "main (train.py:80)"}};
}

TEST(StackText, RanksInTheSamePlaceShareAParagraphAndTheFewestComeFirst) {
  StackRecord record{.attempt = 0, .time = {}, .world_size = 4, .ranks = {}};
  for (const int rank : {0, 2, 3})
    record.ranks.push_back(stack_of(rank, rank < 2 ? "node1" : "node2", "all_reduce (x.py:1)"));
  record.ranks.push_back(stack_of(1, "node1", "load (train.py:41)"));
  EXPECT_EQ(render_stacks(record),
            "rank 1 on node1: sleeping (by py-spy)\n"
            "    load (train.py:41)\n"
            "    main (train.py:80)\n"
            "\n"
            "ranks 0,2-3 on node[1-2]: sleeping (by py-spy)\n"
            "    all_reduce (x.py:1)\n"
            "    main (train.py:80)\n");
}

TEST(StackText, CallsOfTheInterpreterComeWithTheWayToThoseOfTheProgram) {
  StackRecord record{.attempt = 0, .time = {}, .world_size = 1, .ranks = {}};
  record.ranks.push_back({0, "node1", "sleeping", "eu-stack", {"clock_nanosleep", "time_sleep"}});
  EXPECT_EQ(render_stacks(record).find("py-spy"), std::string::npos);
  record.ranks.front().frames.emplace_back("_PyEval_EvalFrameDefault");
  EXPECT_NE(
      render_stacks(record).find("For those of the program, install py-spy, or import ddpsubmit in it.\n"),
      std::string::npos);
}

TEST(StackText, RanksWithoutAnAnswerAreCounted) {
  StackRecord record{.attempt = 0, .time = {}, .world_size = 3, .ranks = {}};
  record.ranks.push_back({1, "node1", "stopped", "kernel", {"the system call futex"}});
  EXPECT_EQ(render_stacks(record),
            "rank 1 on node1: stopped (no tool could tell more: py-spy, eu-stack or gdb)\n"
            "    the system call futex\n"
            "\n"
            "2 of 3 ranks gave no stack: they have ended, or their host did not answer in time\n");
  record.ranks.clear();
  record.world_size = 1;
  EXPECT_EQ(render_stacks(record),
            "1 of 1 ranks gave no stack: it has ended, or its host did not answer in time\n");
}

}  // namespace
}  // namespace ddp::cli
