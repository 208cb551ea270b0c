#include "trainer/loop/state/resumption.hpp"

#include <gtest/gtest.h>

namespace ddp::trainer {
namespace {

EpochShape shape(int shards, std::int64_t batch_size) {
  return {.dataset_size = 100, .shards = shards, .batch_size = batch_size};
}

TEST(Resumption, SaysWhereARunGoesOn) {
  EXPECT_EQ(describe_resumption({.step = 7}), "resumed after step 7");
  EXPECT_EQ(describe_resumption({.step = 7, .sharing = Sharing{shape(2, 8), shape(2, 8)}}),
            "resumed after step 7");
  EXPECT_EQ(describe_resumption({.step = 7, .path = "other/LATEST"}),
            "resumed after step 7 of 'other/LATEST'");
}

TEST(Resumption, SaysWhatIsNoLongerExact) {
  EXPECT_EQ(
      describe_resumption({.step = 7,
                           .sharing = Sharing{shape(2, 8), shape(4, 4)},
                           .generators = Generators::new_ones,
                           .decay = Decay{20, 20}}),
      "resumed after step 7; not bit for bit, with 4 x 4 samples a batch after 2 x 8: sums of gradients, "
      "random numbers of dropout");
  EXPECT_EQ(
      describe_resumption({.step = 7, .sharing = Sharing{shape(2, 8), shape(2, 16)}, .decay = Decay{20, 10}}),
      "resumed after step 7; not bit for bit, with 2 x 16 samples a batch after 2 x 8: sums of gradients, "
      "the size of a batch; the learning rate falls until step 10 now, not 20");
  EXPECT_EQ(
      describe_resumption({.step = 7, .sharing = Sharing{shape(2, 8), shape(2, 8)}, .decay = Decay{20, 30}}),
      "resumed after step 7; the learning rate falls until step 30 now, not 20");
}

TEST(Resumption, TellsOfAnotherLibTorch) {
  EXPECT_EQ(describe_resumption({.step = 7, .libtorch = Upgrade{"2.11.0", "2.11.0"}}),
            "resumed after step 7");
  EXPECT_EQ(describe_resumption({.step = 7, .libtorch = Upgrade{"2.11.0", "2.15.0"}}),
            "resumed after step 7; LibTorch was 2.11.0 and is 2.15.0 now: bytes may differ");
}

TEST(Resumption, IsNotExactWithOtherRandomNumbersAlone) {
  EXPECT_EQ(
      describe_resumption(
          {.step = 7, .sharing = Sharing{shape(2, 8), shape(2, 8)}, .generators = Generators::new_ones}),
      "resumed after step 7; not bit for bit, with 2 x 8 samples a batch after 2 x 8: sums of gradients, "
      "random numbers of dropout");
}

}  // namespace
}  // namespace ddp::trainer
