#include "cli/top/model/top_state.hpp"

#include <gmock/gmock.h>

#include "cli/top/model/run_facts.hpp"

#include "tests/unit/cli/top/top_runs.hpp"

namespace ddp::cli {
namespace {

using testing::ElementsAre;

class TopStateTest : public testing::Test {
 protected:
  std::optional<TopOrder> press(PressedKey key) { return take_key(key, 5, data, state); }
  void type(std::u32string_view text) {
    for (const auto key : text) (void)press(key);
  }
  [[nodiscard]] std::vector<std::string> shown() const {
    std::vector<std::string> ids;
    for (const auto* run : rows_of(state.page(), data)) ids.push_back(run->pointer.run_id);
    return ids;
  }

  TopData data = top_data();
  TopState state;
};

TEST_F(TopStateTest, ActiveRunsComeFirst) {
  EXPECT_THAT(shown(), ElementsAre("mnist-1a2b3c4d", "resnet-large-9f8e7d6c", "gpt-5a5a5a5a",
                                   "search-33333333", "bert-0c0ffee0", "vit-00000001", "mnist-22222222"));
}

TEST_F(TopStateTest, SortsInBothDirectionsOfItsOrders) {
  (void)press(U's');
  EXPECT_EQ(state.page().sort, SortBy::newest);
  (void)press(U'>');
  EXPECT_EQ(state.page().sort, SortBy::name);
  EXPECT_EQ(shown().front(), "bert-0c0ffee0");
  (void)press(U'>');
  EXPECT_EQ(shown().front(), "mnist-1a2b3c4d") << "it has most of its steps done";
  (void)press(U'<');
  (void)press(U'<');
  (void)press(U'<');
  (void)press(U'<');
  EXPECT_EQ(state.page().sort, SortBy::loss) << "behind the first comes the last";
}

TEST_F(TopStateTest, TheChosenRunStaysChosenInAnotherOrder) {
  (void)press(U's');
  (void)press(U's');
  EXPECT_EQ(state.page().selected, "mnist-1a2b3c4d") << "it was the first, and chosen by nobody";
  EXPECT_EQ(shown().front(), "bert-0c0ffee0");
  (void)press(kKeyEnd);
  const auto chosen = state.page().selected;
  EXPECT_EQ(chosen, "vit-00000001");
  (void)press(U'/');
  type(U"mnist");
  (void)press(kKeyEnter);
  (void)press(U's');
  EXPECT_EQ(state.page().selected, "mnist-1a2b3c4d") << "the filter hides the other one";
}

TEST_F(TopStateTest, AKeyIsPossibleWhereItDoesSomething) {
  const auto& running = data.runs[0].run;
  const auto& ended = data.runs[5].run;
  const auto& sweep = data.runs[6].run;
  EXPECT_TRUE(is_possible(Action::cancel, &running));
  EXPECT_FALSE(is_possible(Action::rerun, &running));
  EXPECT_FALSE(is_possible(Action::cancel, &ended));
  EXPECT_TRUE(is_possible(Action::rerun, &ended));
  EXPECT_TRUE(is_possible(Action::follow_logs, &running));
  EXPECT_FALSE(is_possible(Action::follow_logs, &sweep)) << "its points have logs";
  for (const auto action : {Action::open, Action::follow_logs, Action::cancel, Action::rerun})
    EXPECT_FALSE(is_possible(action, nullptr));
  EXPECT_TRUE(is_possible(Action::filter, nullptr));
}

TEST_F(TopStateTest, FiltersWhileItIsTyped) {
  (void)press(U'/');
  type(U"mnq");
  EXPECT_THAT(shown(), ElementsAre());
  (void)press(kKeyBackspace);
  EXPECT_THAT(shown(), ElementsAre("mnist-1a2b3c4d", "mnist-22222222"));
  (void)press(kKeyEnter);
  EXPECT_EQ(state.page().filter, "mn");
  EXPECT_FALSE(press(U'j')) << "keys are keys again";
  EXPECT_EQ(state.page().selected, "mnist-22222222");
  (void)press(U'/');
  type(U"é");
  EXPECT_EQ(state.page().filter, "mné");
  (void)press(kKeyBackspace);
  EXPECT_EQ(state.page().filter, "mn") << "a character has gone, not a byte";
  (void)press(U'x');
  (void)press(kKeyEscape);
  EXPECT_EQ(state.page().filter, "mn") << "the one before";
  (void)press(kKeyEscape);
  EXPECT_EQ(shown().size(), 7U);
}

TEST_F(TopStateTest, AsksBeforeItCancels) {
  EXPECT_FALSE(press(U'c'));
  ASSERT_TRUE(state.question);
  EXPECT_FALSE(press(U'n'));
  EXPECT_EQ(state.message, "nothing was changed");
  EXPECT_FALSE(press(U'c'));
  const auto order = press(U'y');
  ASSERT_TRUE(order);
  EXPECT_EQ(order->kind, TopOrder::Kind::cancel);
  EXPECT_EQ(order->run_id, "mnist-1a2b3c4d");
}

TEST_F(TopStateTest, RerunsOnlyWhatHasEnded) {
  EXPECT_FALSE(press(U'r'));
  EXPECT_FALSE(state.question);
  EXPECT_EQ(state.message, "mnist-1a2b3c4d has not ended: it is running");
  (void)press(kKeyEnd);
  (void)press(U'c');
  EXPECT_FALSE(state.question) << "and cancels only what has not";
  (void)press(U'r');
  const auto order = press(U'y');
  ASSERT_TRUE(order);
  EXPECT_EQ(order->kind, TopOrder::Kind::rerun);
  EXPECT_EQ(order->run_id, "mnist-22222222");
}

TEST_F(TopStateTest, OpensARunAndGoesBack) {
  (void)press(kKeyEnter);
  EXPECT_EQ(state.page().kind, PageKind::run);
  data.details = RunDetails{.run_id = "mnist-1a2b3c4d", .run = data.runs[0].run};
  (void)press(kKeyDown);
  (void)press(kKeyDown);
  EXPECT_EQ(state.page().rank, 2);
  const auto order = press(U'l');
  ASSERT_TRUE(order);
  EXPECT_EQ(order->rank, 2);
  (void)press(kKeyBackspace);
  EXPECT_EQ(state.page().kind, PageKind::runs);
  EXPECT_EQ(press(U'l')->rank, std::nullopt) << "of all ranks";
}

TEST_F(TopStateTest, ASweepHasNoLogsOfItsOwn) {
  state.page().selected = "search-33333333";
  EXPECT_FALSE(press(U'l'));
  EXPECT_THAT(state.message, testing::HasSubstr("choose a point"));
  (void)press(kKeyEnter);
  EXPECT_EQ(state.page().kind, PageKind::points);
}

TEST_F(TopStateTest, TheChosenRunStaysChosenWhenOthersComeInFront) {
  (void)press(kKeyDown);
  EXPECT_EQ(state.page().selected, "resnet-large-9f8e7d6c");
  data.runs.insert(data.runs.begin(), {training_run("new-00000000", 1), true});
  EXPECT_EQ(selected_row(state.page(), rows_of(state.page(), data)), 2U);
}

TEST_F(TopStateTest, TheLastToEndComesFirstOfTheEnded) {
  data.runs[6].run.status.state = RunState::cancelled;
  data.runs[6].run.status.ended = at(kTopNow - 60);
  EXPECT_EQ(shown()[4], "search-33333333");
  EXPECT_EQ(shown()[5], "vit-00000001");
}

TEST_F(TopStateTest, AFailedRunOpensAtTheRankToBlame) {
  auto& run = data.runs[4].run;
  run.status.cause.emplace().rank = 3;
  open_run(run, state);
  EXPECT_EQ(state.page().rank, 3);
}

TEST_F(TopStateTest, AFilterFindsPointsByTheirValues) {
  auto& sweep = data.runs.back().run;
  sweep.sweep->points = {{0.25}, {0.5}};
  sweep.points = {top_run("search-33333333/0", RunState::queued),
                  top_run("search-33333333/1", RunState::queued)};
  open_run(sweep, state);
  state.page().filter = "0.25";
  EXPECT_THAT(shown(), ElementsAre("search-33333333/0"));
}

TEST_F(TopStateTest, EvaluationsTellNoLoss) {
  auto& run = data.runs[0].run;
  run.progress->kind = "evaluate";
  run.progress->loss = 0.25;
  run.progress->training_loss = 0.5;
  EXPECT_EQ(current_loss(run), 0.5);
  run.progress->step = 20'000;
  EXPECT_EQ(done_share(run), 1.0);
}

TEST(Keys, EachIsInOneRow) {
  for (const auto& row : key_table()) {
    for (const auto key : row.keys) {
      if (key != 0) {
        EXPECT_EQ(action_of(key), row.action) << row.shown;
      }
    }
  }
}

}  // namespace
}  // namespace ddp::cli
