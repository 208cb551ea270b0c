#include "ddp/jobenv/rank_layout.hpp"

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>

namespace ddp {
namespace {

TEST(RankLayout, ReadsSlurmsNotation) {
  EXPECT_EQ(RankLayout::parse("2(x3),1")->tasks_per_node(), (std::vector<int>{2, 2, 2, 1}));
  EXPECT_EQ(RankLayout::parse("4")->tasks_per_node(), (std::vector<int>{4}));
  EXPECT_EQ(RankLayout::parse("1,2,1")->tasks_per_node(), (std::vector<int>{1, 2, 1}));
  EXPECT_EQ(RankLayout::parse("3(x1)")->tasks_per_node(), (std::vector<int>{3}));
}

TEST(RankLayout, ListsThePlacesOnANode) {
  const auto layout = RankLayout::make({2, 3, 1}).value();
  EXPECT_EQ(layout.places_on(0), (std::vector<RankPlace>{{0, 0, 0}, {1, 1, 0}}));
  EXPECT_EQ(layout.places_on(2), (std::vector<RankPlace>{{5, 0, 2}}));
  for (const RankPlace& place : layout.places_on(1)) EXPECT_EQ(layout.place(place.rank), place);
}

TEST(RankLayout, RefusesWhatIsNoLayout) {
  for (const char* text : {"",
                           ",",
                           "2,",
                           ",2",
                           "0",
                           "2(x0)",
                           "-1",
                           "2(x3",
                           "2(3)",
                           "2x3",
                           "(x3)",
                           "2(x3)1",
                           "2 (x3)",
                           "2(x)",
                           "a",
                           "1.5",
                           "2(x3))",
                           "99999999999",
                           "2(x99999999999)",
                           "2(x2000000)",
                           "1(x1048576),1",
                           "2000000000,2000000000",
                           "2(x-1)",
                           "+2"}) {
    EXPECT_FALSE(RankLayout::parse(text)) << text;
  }
}

TEST(RankLayout, TheErrorQuotesTheElementAndItsColumn) {
  const auto layout = RankLayout::parse("2(x3),x");
  ASSERT_FALSE(layout);
  EXPECT_EQ(layout.error().message, "tasks per node '2(x3),x': cannot read 'x' at column 7");
}

TEST(RankLayout, MakeRefusesEmptyNodes) {
  EXPECT_FALSE(RankLayout::make({}));
  EXPECT_FALSE(RankLayout::make({1, 0}));
  EXPECT_FALSE(RankLayout::make({1, -2}));
}

TEST(RankLayout, PlacesRanksInBlocks) {
  const RankLayout layout = *RankLayout::make({2, 3, 1});
  EXPECT_EQ(layout.world_size(), 6);
  EXPECT_EQ(layout.nodes(), 3);
  EXPECT_EQ(layout.place(0), (RankPlace{0, 0, 0}));
  EXPECT_EQ(layout.place(1), (RankPlace{1, 1, 0}));
  EXPECT_EQ(layout.place(2), (RankPlace{2, 0, 1}));
  EXPECT_EQ(layout.place(4), (RankPlace{4, 2, 1}));
  EXPECT_EQ(layout.place(5), (RankPlace{5, 0, 2}));
  EXPECT_THROW(static_cast<void>(layout.place(6)), std::out_of_range);
  EXPECT_THROW(static_cast<void>(layout.place(-1)), std::out_of_range);
}

TEST(RankLayout, RendersWhatItReads) {
  std::mt19937 random(7);
  for (int i = 0; i < 2000; ++i) {
    std::vector<int> tasks(1 + random() % 8);
    for (int& count : tasks) count = 1 + static_cast<int>(random() % 3);
    const RankLayout layout = *RankLayout::make(tasks);
    const auto again = RankLayout::parse(layout.render());
    ASSERT_TRUE(again) << layout.render();
    ASSERT_EQ(*again, layout) << layout.render();
  }
  EXPECT_EQ(RankLayout::make({2, 2, 2, 1})->render(), "2(x3),1");
}

}  // namespace
}  // namespace ddp
