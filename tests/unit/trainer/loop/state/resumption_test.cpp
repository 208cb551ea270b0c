#include "trainer/loop/state/resumption.hpp"

#include <gtest/gtest.h>

namespace ddp::trainer {
namespace {

EpochShape shape(int shards, std::int64_t batch_size) {
  return {.dataset_size = 100, .shards = shards, .batch_size = batch_size};
}

TEST(Resumption, SaysWhereARunGoesOn) {
  EXPECT_EQ(describe_resumption({.step = 7}), "resumed from step 7");
  EXPECT_EQ(describe_resumption({.step = 7, .sharing = Sharing{shape(2, 8), shape(2, 8)}}),
            "resumed from step 7");
  EXPECT_EQ(describe_resumption({.step = 7, .path = "other/LATEST"}),
            "resumed from step 7 of 'other/LATEST'");
}

TEST(Resumption, SaysWhatIsNoLongerExact) {
  EXPECT_EQ(describe_resumption({.step = 7,
                                 .sharing = Sharing{shape(2, 8), shape(4, 4)},
                                 .generators = Generators::new_ones,
                                 .decay = Decay{20, 20}}),
            "resumed from step 7; not bit-identical to an uninterrupted run (batch of 2 x 8 samples before, "
            "4 x 4 now): gradient sums, dropout random numbers differ");
  EXPECT_EQ(
      describe_resumption({.step = 7, .sharing = Sharing{shape(2, 8), shape(2, 16)}, .decay = Decay{20, 10}}),
      "resumed from step 7; not bit-identical to an uninterrupted run (batch of 2 x 8 samples before, 2 x 16 "
      "now): gradient sums, batch size differ; the learning rate now decays until step 10 instead of 20");
  EXPECT_EQ(
      describe_resumption({.step = 7, .sharing = Sharing{shape(2, 8), shape(2, 8)}, .decay = Decay{20, 30}}),
      "resumed from step 7; the learning rate now decays until step 30 instead of 20");
}

TEST(Resumption, TellsOfAnotherLibTorch) {
  EXPECT_EQ(describe_resumption({.step = 7, .libtorch = Upgrade{"2.11.0", "2.11.0"}}), "resumed from step 7");
  EXPECT_EQ(describe_resumption({.step = 7, .libtorch = Upgrade{"2.11.0", "2.15.0"}}),
            "resumed from step 7; results may not be bit-identical: LibTorch was 2.11.0, now it is 2.15.0");
}

TEST(Resumption, OfAModelWithoutDropoutDoesNotMentionIt) {
  EXPECT_EQ(describe_resumption({.step = 7,
                                 .sharing = Sharing{shape(2, 8), shape(4, 4)},
                                 .generators = Generators::new_ones,
                                 .dropout = Dropout::none}),
            "resumed from step 7; not bit-identical to an uninterrupted run (batch of 2 x 8 samples before, "
            "4 x 4 now): gradient sums differ");
}

TEST(Resumption, IsNotExactWithOtherRandomNumbersAlone) {
  EXPECT_EQ(
      describe_resumption(
          {.step = 7, .sharing = Sharing{shape(2, 8), shape(2, 8)}, .generators = Generators::new_ones}),
      "resumed from step 7; not bit-identical to an uninterrupted run (batch of 2 x 8 samples before, 2 x 8 "
      "now): gradient sums, dropout random numbers differ");
}

}  // namespace
}  // namespace ddp::trainer
