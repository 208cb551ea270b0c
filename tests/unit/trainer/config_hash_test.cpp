#include "trainer/loop/config_hash.hpp"

#include <gtest/gtest.h>

namespace ddp::trainer {
namespace {

TrainConfig some_config() {
  TrainConfig config;
  config.epochs = 2;
  config.model = {"mlp", {{"hidden_dims", std::vector<std::int64_t>{5}}}};
  config.optimizer = {"sgd", {{"learning_rate", 0.1}}};
  return config;
}

TEST(ConfigHash, IsOfWhatAStepComputes) {
  const auto hash = config_hash(some_config());
  EXPECT_EQ(hash.size(), 16u);
  TrainConfig config = some_config();
  config.optimizer.options.at("learning_rate") = 0.1000000001;
  EXPECT_NE(config_hash(config), hash);
  config = some_config();
  config.model.options.at("hidden_dims") = std::vector<std::int64_t>{5, 5};
  EXPECT_NE(config_hash(config), hash);
  config = some_config();
  config.seed = 43;
  EXPECT_NE(config_hash(config), hash);
  config = some_config();
  config.schedule = {"cosine", {{"warmup_steps", std::int64_t{5}}}};
  EXPECT_NE(config_hash(config), hash);
  config = some_config();
  config.clip_grad_norm = 1;
  EXPECT_NE(config_hash(config), hash);
  config = some_config();
  config.precision = Precision::bf16;
  EXPECT_NE(config_hash(config), hash);
  config = some_config();
  config.sync_batch_norm = true;
  EXPECT_NE(config_hash(config), hash);
  config = some_config();
  config.memory_format = MemoryFormat::channels_last;
  EXPECT_NE(config_hash(config), hash);
  config = some_config();
  config.deterministic = true;
  EXPECT_NE(config_hash(config), hash);
  config = some_config();
  config.tf32 = false;
  const auto without_tf32 = config_hash(config);
  EXPECT_NE(without_tf32, hash);
  config.tf32 = true;
  EXPECT_NE(config_hash(config), hash);
  EXPECT_NE(config_hash(config), without_tf32);
}

TEST(ConfigHash, LeavesTheLengthOut) {
  TrainConfig longer = some_config();
  longer.epochs = 3;
  longer.log.every_steps = 1;
  EXPECT_EQ(config_hash(longer), config_hash(some_config()));
}

}  // namespace
}  // namespace ddp::trainer
