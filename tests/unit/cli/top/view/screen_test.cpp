#include "cli/top/view/screen.hpp"

#include <gtest/gtest.h>

#include <clocale>
#include <cstdlib>
#include <ctime>
#include <fstream>

#include "jobenv/record/files/durable_file.hpp"

#include "tests/support/places.hpp"
#include "tests/unit/cli/top/top_runs.hpp"

namespace ddp::cli {
namespace {

/// Compares with tests/golden/top/NAME; UPDATE_GOLDEN=1 writes that anew.
class ScreenTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(setlocale(LC_CTYPE, "C.UTF-8"), nullptr);
    setenv("TZ", "UTC", 1);
    tzset();
  }

  [[nodiscard]] std::string draw(const Frame& frame) {
    keep_in_view(data, frame, state);
    const auto screen = render_screen(state, data, frame);
    EXPECT_EQ(screen.size(), frame.rows);
    std::string text;
    for (const auto& line : screen) {
      std::string whole;
      for (const auto& span : line.spans) whole += span.text;
      EXPECT_LE(columns_of(whole), frame.columns) << whole;
      text += text_of(line) + '\n';
    }
    return text;
  }
  void expect_golden(const std::string& name, const Frame& frame) {
    const auto path = source_path("tests/golden/top/" + name);
    const auto drawn = draw(frame);
    if (std::getenv("UPDATE_GOLDEN") != nullptr) std::ofstream(path) << drawn;
    EXPECT_EQ(load_file(path).value_or(""), drawn) << name;
  }
  void press(PressedKey key) { (void)take_key(key, 10, data, state); }

  [[nodiscard]] static Frame small() { return {.now = at(kTopNow)}; }
  [[nodiscard]] static Frame large() { return {.columns = 160, .rows = 50, .now = at(kTopNow)}; }

  TopData data = top_data();
  TopState state;
};

RunDetails details_of(const KnownRun& run) {
  RunDetails details{.run_id = run.pointer.run_id, .run = run};
  auto& attempts = details.run.status.attempts;
  attempts.front().outcome = "failed";
  attempts.front().message = "rank 1 was killed by signal 9 (SIGKILL)";
  attempts.front().ended = at(kTopNow - 6000);
  attempts.front().last_step = 320;
  attempts.push_back(attempts.front());
  auto& newest = attempts.back();
  newest.number = 1;
  newest.outcome.clear();
  newest.message.clear();
  newest.ended.reset();
  newest.last_step.reset();
  newest.resumed_from = 300;
  for (int rank = 0; rank < 4; ++rank) {
    RankStatus status;
    status.rank = rank;
    status.host = rank < 2 ? "node1" : "node2";
    newest.ranks.push_back(status);
  }
  for (int step = 1; step <= 500; ++step) {
    details.curve.loss.push_back(2.3 / step);
    details.curve.samples_per_second.push_back(step % 50 == 0 ? 8'000 : 12'345);
  }
  details.log_rank = 3;
  details.log = {{"epoch 3, step 4480, loss 0.0433", false},
                 {"warning: \x1b[31mred\x1b[0m and \xff bytes\t日本語", true},
                 {std::string(300, 'x'), false}};
  return details;
}

TEST_F(ScreenTest, ShowsTheRuns) {
  expect_golden("runs-80x24", small());
  expect_golden("runs-160x50", large());
}

TEST_F(ScreenTest, ShowsTheRunsInAscii) {
  auto frame = small();
  frame.charset = Charset::ascii;
  const auto drawn = draw(frame);
  EXPECT_TRUE(std::ranges::all_of(drawn, [](char c) { return static_cast<unsigned char>(c) < 0x80; }))
      << drawn;
}

TEST_F(ScreenTest, ShowsARun) {
  data.details = details_of(data.runs[0].run);
  open_run(data.runs[0].run, state);
  state.page().rank = 3;
  expect_golden("run-80x24", small());
  expect_golden("run-160x50", large());
}

TEST_F(ScreenTest, ShowsThePointsOfASweep) {
  auto& sweep = data.runs.back().run;
  sweep.sweep->points = {{0.1}, {0.01}};
  auto first = training_run("search-33333333/0", 9000);
  auto second = top_run("search-33333333/1", RunState::succeeded);
  second.status.message = "4 ranks finished at step 10000";
  sweep.points = {first, second};
  open_run(sweep, state);
  expect_golden("sweep-80x24", small());
}

TEST_F(ScreenTest, ShowsItsKeys) {
  press(U'?');
  expect_golden("help-80x24", small());
  press(U' ');
  EXPECT_EQ(draw(small()).find("Keys"), std::string::npos);
}

TEST_F(ScreenTest, ScrollsItsKeysOnALowScreen) {
  const Frame low{.columns = 60, .rows = 15, .now = at(kTopNow)};
  press(U'?');
  EXPECT_EQ(draw(low).find("quit;"), std::string::npos);
  EXPECT_TRUE(draw(low).ends_with("\n Up/Down shows the others  any key goes back\n")) << draw(low);
  for (int row = 0; row < 30; ++row) press(kKeyDown);
  EXPECT_NE(draw(low).find("quit;"), std::string::npos) << draw(low);
  press(kKeyUp);
  EXPECT_NE(draw(low).find("Keys"), std::string::npos);
  press(U'q');
  EXPECT_EQ(draw(low).find("Keys"), std::string::npos);
}

TEST_F(ScreenTest, TheFilterIsShownRatherThanTheClock) {
  state.page().filter = "e";
  press(U's');
  const auto drawn = draw(small());
  EXPECT_NE(drawn.find("filter 'e'\n"), std::string::npos) << drawn;
}

TEST_F(ScreenTest, OffersWhatWorksForTheChosenRun) {
  press(kKeyEnd);
  EXPECT_TRUE(draw(small()).ends_with(" l logs  r rerun  / filter  s sort  ? help  q quit\n"))
      << draw(small());
  state.page().selected = "search-33333333";
  EXPECT_TRUE(draw(small()).ends_with(" Enter open  c cancel  / filter  s sort  ? help  q quit\n"));
  state.page().filter = "nothing";
  EXPECT_TRUE(draw(small()).ends_with("\n Esc drop filter  / filter  s sort  ? help  q quit\n"))
      << draw(small());
}

TEST_F(ScreenTest, ScrollsToTheChosenRunInAnotherOrder) {
  data.runs.clear();
  for (int number = 0; number < 100; ++number)
    data.runs.push_back({top_run("job-" + std::to_string(199 - number), RunState::succeeded), true});
  (void)draw(small());
  press(U's');
  press(U's');
  const auto drawn = draw(small());
  EXPECT_NE(drawn.find("> job-199"), std::string::npos) << drawn;
  EXPECT_NE(drawn.find("by name"), std::string::npos) << drawn;
}

TEST_F(ScreenTest, SaysWhoDoesNotAnswer) {
  data.complaints = {"Slurm has not answered for 12 s; states are from the run folders"};
  const auto drawn = draw(small());
  EXPECT_NE(drawn.find("\n Slurm has not answered for 12 s; states are from the run folders\n"),
            std::string::npos);
}

TEST_F(ScreenTest, AsksInTheLastLine) {
  press(kKeyDown);
  press(U'c');
  EXPECT_TRUE(draw(small()).ends_with("Cancel run resnet-large-9f8e7d6c? (y/n)\n")) << draw(small());
}

TEST_F(ScreenTest, AQuestionAboutALongNameShowsItsAnswers) {
  data.runs.front().run.pointer.run_id = std::string(150, 'x') + "-1a2b3c4d";
  press(U'c');
  EXPECT_TRUE(draw(small()).ends_with("xx-1a2b3c4d? (y/n)\n")) << draw(small());
}

TEST_F(ScreenTest, TellsHowManyRunsAreBelowAndPassTheFilter) {
  const Frame low{.rows = 10, .now = at(kTopNow)};
  EXPECT_NE(draw(low).find(" 3 more below "), std::string::npos) << draw(low);
  state.page().filter = "mnist";
  const auto drawn = draw(low);
  EXPECT_NE(drawn.find(" 2 of 7 runs: 1 running "), std::string::npos) << drawn;
  EXPECT_EQ(drawn.find("more below"), std::string::npos);
}

TEST_F(ScreenTest, AnEndedPointShowsItsLossAndLongValuesDiffer) {
  auto& sweep = data.runs.back().run;
  sweep.sweep->keys = {"args.lr", "seed", "data"};
  const std::string path(100, 'p');
  sweep.sweep->points = {{0.1, 7, path + "1"}, {0.01, 7, path + "2"}};
  auto ended = training_run("search-33333333/0", 10'000);
  ended.status.state = RunState::succeeded;
  ended.progress->accuracy = 0.9712;
  sweep.points = {ended, top_run("search-33333333/1", RunState::succeeded)};
  open_run(sweep, state);
  const auto drawn = draw(small());
  for (const auto* text : {"POINT lr, data", "p1 ", "p2 ", "0.0421", "accuracy 0.9712", "seed 7", "q quit"})
    EXPECT_NE(drawn.find(text), std::string::npos) << text << '\n' << drawn;
}

TEST_F(ScreenTest, ARankThatWasStoppedHasNotFailed) {
  data.details = details_of(data.runs[0].run);
  auto& rank = data.details->run.status.attempts.back().ranks.front();
  rank.ended = true;
  rank.signal = 9;
  rank.ended_by = "agent";
  open_run(data.runs[0].run, state);
  EXPECT_NE(draw(small()).find(" stopped "), std::string::npos) << draw(small());
  data.details->run.status.attempts.back().cause.emplace().rank = rank.rank;
  EXPECT_NE(draw(small()).find(" failed first "), std::string::npos) << draw(small());
  data.runs[0].gone = true;
  EXPECT_NE(draw(small()).find("the run is gone; press Esc to go back"), std::string::npos);
}

TEST_F(ScreenTest, SurvivesAnySize) {
  data.details = details_of(data.runs[0].run);
  for (const bool of_run : {false, true}) {
    if (of_run) open_run(data.runs[0].run, state);
    for (const std::size_t columns : {1, 7, 20, 40, 79, 100, 124, 140, 156, 300})
      for (const std::size_t rows : {1, 2, 5, 10, 24, 100})
        (void)draw({.columns = columns, .rows = rows, .now = at(kTopNow)});
  }
}

TEST_F(ScreenTest, ScrollsToTheChosenRun) {
  data.runs.clear();
  for (int number = 0; number < 1000; ++number)
    data.runs.push_back({top_run("job-" + std::to_string(10'000 + number), RunState::succeeded), true});
  press(kKeyEnd);
  EXPECT_NE(draw(small()).find("> job-10999"), std::string::npos);
  press(kKeyPageUp);
  EXPECT_NE(draw(small()).find("> job-10989"), std::string::npos);
  press(kKeyHome);
  EXPECT_NE(draw(small()).find("> job-10000"), std::string::npos);
}

}  // namespace
}  // namespace ddp::cli
