#include "cli/rehearsal/rehearsal_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::Not;

RehearsalReport make_report() {
  RehearsalReport report{.ranks = 2, .ranks_of_job = 32, .steps = 400, .seed = 7, .steps_of_job = 1'000'000};
  report.stop = {.signal = "USR2",
                 .seen_step = 112,
                 .last_step = 118,
                 .lost_steps = 0,
                 .stopped_after = milliseconds(200),
                 .stepped_again_after = milliseconds(900)};
  report.kill = {.rank = 1,
                 .seen_step = 285,
                 .last_step = 287,
                 .lost_steps = 1,
                 .detected_after = milliseconds(4),
                 .stepped_again_after = milliseconds(996)};
  report.result.files = {"model.safetensors", "optimizer.safetensors"};
  report.step = milliseconds(100);
  report.checkpoint = CheckpointCost{.stall = seconds(3), .write = seconds(20)};
  report.configured =
      ConfiguredInterval{.key = "train.checkpoint.every_steps: 1000", .steps = 1000, .time = seconds(100)};
  report.mtbf = hours(12);
  report.mtbf_source = MtbfSource::option;
  return report;
}

TEST(RehearsalText, SaysWhatWasDoneAndWhatItCost) {
  const auto text = render_rehearsal(make_report());
  EXPECT_THAT(text, HasSubstr("2 of 32 ranks, 400 steps; to repeat: --ranks 2 --steps 400 --seed 7\n"));
  EXPECT_THAT(text, HasSubstr("USR2 sent after step 112: stopped after step 118; 0 steps lost, stopped in "
                              "0.2 s, started again, first step after 0.9 s\n"));
  EXPECT_THAT(text,
              HasSubstr("rank 1 killed after step 287: 1 step lost, detected in 4.0 ms, first step again "
                        "after 1.0 s\n"));
  EXPECT_THAT(text, HasSubstr("equal to an undisturbed run, byte for byte: model.safetensors and "
                              "optimizer.safetensors\n"));
}

TEST(RehearsalText, SaysWhatTheConfiguredIntervalCostsAndWhichIsBest) {
  const auto text = render_rehearsal(make_report());
  EXPECT_THAT(text, HasSubstr("train.checkpoint.every_steps: 1000: a failure costs 700 steps (1 min 10 s) on "
                              "average, 1230 (2 min 3 s) at worst; 3.2 % of the time lost\n"));
  EXPECT_THAT(text, HasSubstr("train.checkpoint.every: 8m28s (5071 steps) instead of "
                              "train.checkpoint.every_steps; 1.2 % of the time lost; Young: 8 min 29 s, "
                              "Daly: 8 min 27 s\n"));
  EXPECT_THAT(text, HasSubstr("; one failure every 12h (--mtbf)\n"));
}

TEST(RehearsalText, NamesTheDefaultAndWhatIsLongerThanTheJob) {
  auto report = make_report();
  report.mtbf_source = MtbfSource::standard;
  report.steps_of_job = 2000;
  report.configured->key.clear();
  const auto text = render_rehearsal(report);
  EXPECT_THAT(text, HasSubstr("(assumed; set it with --mtbf)"));
  EXPECT_THAT(text, HasSubstr("which is longer than the job"));
  EXPECT_THAT(text, HasSubstr("no checkpoint before the end: a failure costs"));
}

TEST(RehearsalText, NamesWhatDiffers) {
  auto report = make_report();
  report.result.differences = {{.file = "model.safetensors", .tensor = "fc.weight", .offset = 640}};
  EXPECT_THAT(
      render_rehearsal(report),
      HasSubstr("NOT equal to an undisturbed run: model.safetensors: tensor 'fc.weight' differs, first "
                "at byte 640 of the file\n"));
}

TEST(RehearsalText, CountsFilesWhereTheyAreMany) {
  auto report = make_report();
  report.result.files = {"1", "2", "3", "4", "5", "6"};
  report.result.extra = {"step-44.pt"};
  EXPECT_THAT(render_rehearsal(report),
              HasSubstr("byte for byte: 6 files; only the disturbed run has step-44.pt\n"));
  for (const auto& file : report.result.files) report.result.differences.push_back({file, {}, 3});
  EXPECT_THAT(render_rehearsal(report),
              HasSubstr("5: first difference at byte 3; 6 files differ in total; only"));
}

TEST(RehearsalText, OfACommandSaysNothingOfCheckpointsAndIntervals) {
  auto report = make_report();
  report.configured.reset();
  const auto text = render_rehearsal(report);
  EXPECT_THAT(text, HasSubstr("400 steps; to repeat: --ranks 2 --seed 7\n"));
  for (const char* line : {"costs", "configured", "recommended"}) EXPECT_THAT(text, Not(HasSubstr(line)));
}

TEST(RehearsalText, SaysWhatIsNotKnown) {
  auto report = make_report();
  report.checkpoint.reset();
  report.kill = {};
  const auto text = render_rehearsal(report);
  EXPECT_THAT(text, HasSubstr("unknown: no checkpoint was written in the background"));
  EXPECT_THAT(text, HasSubstr("rank 0 killed at an unknown step: unknown number of steps lost\n"));
}

TEST(RehearsalJson, HoldsSecondsAndSteps) {
  const auto value = to_json(make_report());
  EXPECT_EQ(value["stop"]["last_step"], 118);
  EXPECT_EQ(value["kill"]["restart_seconds"], 0.996);
  EXPECT_EQ(value["result"]["equal"], true);
  EXPECT_EQ(value["costs"]["restart_seconds"], 1.0);
  EXPECT_EQ(value["mtbf"]["source"], "--mtbf");
  EXPECT_EQ(value["configured"]["mean_lost_steps"], 700);
  EXPECT_NEAR(value["recommended"]["young_seconds"], 509.1, 0.1);
  EXPECT_EQ(value["recommended"]["key"], "train.checkpoint.every: 8m28s");
}

TEST(RehearsalJson, HasNullForWhatACommandDoesNotTell) {
  auto report = make_report();
  report.configured.reset();
  const auto value = to_json(report);
  for (const char* name : {"job_steps", "costs", "mtbf", "configured", "recommended"})
    EXPECT_TRUE(value.contains(name) && value[name].is_null()) << name;
  EXPECT_EQ(value["steps"], 400);
}

TEST(RehearsalJson, HasNullForWhatIsNotKnown) {
  auto report = make_report();
  report.checkpoint.reset();
  report.result.differences = {{.file = "model.safetensors", .tensor = {}, .offset = std::nullopt}};
  const auto value = to_json(report);
  EXPECT_TRUE(value["recommended"].is_null());
  EXPECT_TRUE(value["configured"]["lost_fraction"].is_null());
  EXPECT_TRUE(value["result"]["differences"][0]["tensor"].is_null());
}

}  // namespace
}  // namespace ddp::cli
