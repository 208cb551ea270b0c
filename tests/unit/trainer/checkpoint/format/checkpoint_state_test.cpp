#include "trainer/checkpoint/format/checkpoint_state.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ddp::trainer {
namespace {

using testing::ElementsAre;

CheckpointState example_state() {
  return {.step = 7,
          .epoch = 1,
          .position = 2,
          .world_size = 4,
          .shards = 2,
          .batch_size = 8,
          .settings = {"train.seed: 42"},
          .total_steps = 9,
          .extra_tensors = 1,
          .libtorch = "2.11.0",
          .shard_files = {"a", "b"}};
}

std::string fault_of_state(const std::string& text) {
  const auto state = parse_checkpoint_state(text, "copy");
  return state ? "none" : state.error();
}

TEST(CheckpointStateText, IsReadAsItWasWritten) {
  const auto state =
      parse_checkpoint_state(render_checkpoint_state(example_state()), "run/step-00000007-a0/");
  ASSERT_TRUE(state) << state.error();
  EXPECT_EQ(*state, example_state());
}

TEST(CheckpointStateText, MayHoldAnyBytes) {
  auto state = example_state();
  state.settings = {"train.own: \xff"};
  EXPECT_THAT(parse_checkpoint_state(render_checkpoint_state(state), "copy")->settings,
              ElementsAre("train.own: \uFFFD"));
}

TEST(CheckpointStateText, SaysWhatIsWrong) {
  EXPECT_EQ(fault_of_state("[]"), "is not a JSON object");
  for (const char* text : {R"({"step":"seven"})", R"({"step":1,"epoch":1,"position":1})",
                           R"({"step":1,"epoch":1,"position":1,"world_size":1,"settings":1})"})
    EXPECT_EQ(fault_of_state(text), "lacks a field, or has one of another type") << text;
  for (const char* numbers : {R"("world_size":0)", R"("world_size":2147483648)",
                              R"("world_size":1,"shards":-1)", R"("world_size":1,"batch_size":-1)"}) {
    // Of two fields with one name the last one counts.
    EXPECT_EQ(
        fault_of_state(R"({"step":1,"epoch":1,"position":1,"world_size":1,"shards":1,"batch_size":1,)"
                       R"("settings":[],"total_steps":1,"extra_tensors":0,"versions":{"libtorch":""},)" +
                       std::string(numbers) + "}"),
        "has an impossible number of steps, ranks, shards or samples")
        << numbers;
  }
}

TEST(CheckpointStateText, HasAStepThatCanBe) {
  for (const char* step : {"-7", "7.5", "1e30", "9223372036854775807", "18446744073709551615"})
    EXPECT_EQ(fault_of_state(std::string(R"({"epoch":1,"position":1,"world_size":1,"step":)") + step + "}"),
              "has an impossible number of steps, ranks, shards or samples")
        << step;
}

TEST(CheckpointStateText, HasTheStepOfItsFolder) {
  const auto text = render_checkpoint_state(example_state());
  for (const char* folder : {"run/step-00000008-a0", "run/step-00000008-a1/", "step-00000008-a0.replaced"})
    EXPECT_EQ(parse_checkpoint_state(text, folder).error(),
              "is of step 7, and its folder is named for step 8");
}

TEST(CheckpointStateText, IsNoDeeplyNestedJson) {
  EXPECT_EQ(fault_of_state(R"({"step":)" + std::string(400'000, '[')), "is not a JSON object");
}

}  // namespace
}  // namespace ddp::trainer
