#include "cli/store/state/sweep_state.hpp"

#include <gtest/gtest.h>

#include "cli/launch/launcher.hpp"
#include "cli/launchers/slurm/query/array_limit.hpp"

namespace ddp::cli {
namespace {

using enum RunState;

RunStatus combine(const std::vector<RunState>& states) {
  RunStatus sweep;
  for (const RunState state : states) sweep.points.emplace_back().state = state;
  combine_points(sweep);
  return sweep;
}

TEST(SweepState, RunsFromTheFirstStartToTheLastEnd) {
  EXPECT_EQ(combine({queued, queued}).state, queued);
  EXPECT_EQ(combine({running, queued}).state, running);
  EXPECT_EQ(combine({succeeded, queued}).state, running);
  EXPECT_EQ(combine({failed, restarting}).state, running);
  EXPECT_EQ(combine({succeeded, succeeded}).state, succeeded);
}

TEST(SweepState, TheGravestEndCounts) {
  EXPECT_EQ(combine({succeeded, cancelled}).state, cancelled);
  EXPECT_EQ(combine({cancelled, preempted}).state, preempted);
  EXPECT_EQ(combine({timed_out, preempted}).state, timed_out);
  EXPECT_EQ(combine({failed, timed_out, succeeded}).state, failed);
}

TEST(SweepState, UnknownIsNeverFinal) {
  EXPECT_EQ(combine({unknown, succeeded}).state, unknown);
  EXPECT_EQ(combine({unknown, running}).state, running);
}

TEST(SweepState, CountsThePoints) {
  EXPECT_EQ(combine({succeeded, queued, succeeded}).message, "1 queued, 2 succeeded");
  EXPECT_EQ(combine({succeeded, failed}).exit_code, 1);
  EXPECT_EQ(combine({succeeded}).exit_code, 0);
  EXPECT_FALSE(combine({running}).exit_code);
}

std::vector<std::string> split(const std::vector<int>& points, int limit) {
  std::vector<std::string> parts;
  for (const auto& part : split_points(points, limit)) {
    std::string& text = parts.emplace_back(std::to_string(part.first_point) + ":");
    for (const int task : part.tasks) text += " " + std::to_string(task);
  }
  return parts;
}

TEST(SweepParts, TasksStayBelowTheLimit) {
  using Parts = std::vector<std::string>;
  EXPECT_EQ(split({0, 1, 2, 3, 4, 5, 6}, 5), (Parts{"0: 0 1 2 3 4", "5: 0 1"}));
  EXPECT_EQ(split({1, 5, 6, 11}, 5), (Parts{"1: 0 4", "6: 0", "11: 0"}));
  EXPECT_EQ(split({3}, 1), (Parts{"3: 0"}));
  EXPECT_EQ(split({}, 5), Parts{});
}

TEST(ArrayLimit, IsTheLesserOfBoth) {
  const auto limit = [](std::string_view config) {
    return array_limit_of(parse_slurm_config(config)).map_error([](const Error& error) {
      return error.code;
    });
  };
  EXPECT_EQ(limit("MaxArraySize            = 1001\nMaxJobCount             = 10000\n"), 1001);
  EXPECT_EQ(limit("MaxArraySize = 1001\nMaxJobCount = 50\n"), 50);
  EXPECT_EQ(limit("MaxArraySize = 0\n").error(), ExitCode::scheduler_refused);
  EXPECT_EQ(limit("MaxJobCount = 50\n").error(), ExitCode::preflight_failed);
  EXPECT_EQ(limit("MaxArraySize = many\n").error(), ExitCode::preflight_failed);
}

TEST(JobCount, IsWhatASweepMustNotExceed) {
  const auto config = parse_slurm_config("MaxArraySize = 1001\nMaxJobCount = 3\n");
  RunSpec spec;
  EXPECT_FALSE(find_broken_job_count(spec, config)) << "no sweep";
  spec.sweep.push_back({.name = "train.seed", .values = {}});
  spec.points.resize(3);
  EXPECT_FALSE(find_broken_job_count(spec, config));
  spec.points.resize(4);
  const auto error = find_broken_job_count(spec, config);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, ExitCode::preflight_failed);
  EXPECT_EQ(error->message, "the sweep has 4 points: the cluster takes at most 3 jobs in all (MaxJobCount)");
  EXPECT_FALSE(find_broken_job_count(spec, SlurmConfig{})) << "the limit is not known";
}

TEST(JobCount, OfPointsThatAreToRunAgain) {
  const auto config = parse_slurm_config("MaxArraySize = 1001\nMaxJobCount = 3\n");
  RunSpec spec;
  spec.points.resize(4);
  ASSERT_TRUE(spec.sweep.empty());
  const auto error = find_broken_job_count(spec, config);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message,
            "4 points of the sweep are to run: the cluster takes at most 3 jobs in all (MaxJobCount)");
  EXPECT_NE(error->hint.find("ddpsubmit rerun SWEEP/K"), std::string::npos);
}

}  // namespace
}  // namespace ddp::cli
