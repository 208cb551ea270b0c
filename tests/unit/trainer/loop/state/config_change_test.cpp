#include "trainer/loop/state/config_change.hpp"

#include <gtest/gtest.h>

namespace ddp::trainer {
namespace {

constexpr const char* kChanged = "the configuration has changed since the checkpoint was written";

TEST(ConfigChange, NamesWhatHasChanged) {
  EXPECT_EQ(describe_config_change({"train.seed: 1", "train.precision: fp32"},
                                   {"train.seed: 2", "train.precision: fp32"}),
            std::string(kChanged) + ": train.seed: 2 (was 1)");
}

TEST(ConfigChange, TheOptionsOfAnotherComponentAreNotNamed) {
  EXPECT_EQ(describe_config_change({"train.optimizer.name: sgd", "train.optimizer.momentum: 0"},
                                   {"train.optimizer.name: adam", "train.optimizer.eps: 1e-08"}),
            std::string(kChanged) + ": train.optimizer.name: adam (was sgd)");
}

TEST(ConfigChange, NamesASectionThatHasComeOrGone) {
  const std::vector<std::string> with = {"train.schedule.name: cosine", "train.schedule.warmup_steps: 0"};
  const std::vector<std::string> without = {"train.seed: 1"};
  EXPECT_EQ(describe_config_change(with, without),
            std::string(kChanged) + ": train.schedule.name: unset (was cosine)");
  EXPECT_EQ(describe_config_change(without, with),
            std::string(kChanged) + ": train.schedule.name: cosine (was unset)");
}

TEST(ConfigChange, AKeyOfAnotherVersionIsNone) {
  EXPECT_EQ(describe_config_change({"train.seed: 1", "train.old: 1"}, {"train.seed: 1", "train.new: 1"}), "");
}

TEST(ConfigChange, AValueMayHoldAnything) {
  EXPECT_EQ(describe_config_change({"train.a: ", "train.b: x: y"}, {"train.a: ", "train.b: x: z"}),
            std::string(kChanged) + ": train.b: x: z (was x: y)");
}

TEST(ConfigChange, LeavesOutWhatNoStepDependsOn) {
  EXPECT_EQ(describe_config_change({"train.epochs: 1", "train.log.every_steps: 1", "train.seed: 1"},
                                   {"train.epochs: 2", "train.log.every_steps: 2", "train.seed: 2"}),
            std::string(kChanged) + ": train.seed: 2 (was 1)");
}

TEST(ConfigChange, IsNoneWhenNoStepDependsOnIt) {
  EXPECT_EQ(describe_config_change({"train.epochs: 1"}, {"train.epochs: 2"}), "");
}

TEST(ConfigChange, NamesAFewOfMany) {
  EXPECT_EQ(describe_config_change({"a: 1", "b: 1", "c: 1", "d: 1", "e: 1", "f: 1", "g: 1", "h: 1"},
                                   {"a: 2", "b: 2", "c: 2", "d: 2", "e: 2", "f: 2", "g: 2", "h: 2"}),
            std::string(kChanged) +
                ": a: 2 (was 1); b: 2 (was 1); c: 2 (was 1); d: 2 (was 1); "
                "e: 2 (was 1); f: 2 (was 1); and 2 more");
}

TEST(ConfigChange, WhatDecidesMemoryAloneIsLeftOut) {
  EXPECT_EQ(describe_config_change({"train.fsdp.reshard_after_forward: true", "train.fsdp.param_dtype: fp32",
                                    "train.fsdp.prefetch: true"},
                                   {"train.fsdp.reshard_after_forward: false", "train.fsdp.param_dtype: bf16",
                                    "train.fsdp.prefetch: false"}),
            std::string(kChanged) + ": train.fsdp.param_dtype: bf16 (was fp32)");
  EXPECT_EQ(describe_config_change({"train.hsdp.prefetch: true", "train.hsdp.shard: 2"},
                                   {"train.hsdp.prefetch: false", "train.hsdp.shard: 4"}),
            std::string(kChanged) + ": train.hsdp.shard: 4 (was 2)");
}

TEST(ConfigChange, IsNotKnownOfAnOldCheckpoint) {
  EXPECT_EQ(describe_config_change({}, {"train.seed: 1"}), "");
}

}  // namespace
}  // namespace ddp::trainer
