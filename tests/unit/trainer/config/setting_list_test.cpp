#include "trainer/config/setting_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ddp::trainer {
namespace {

using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::Not;

TrainConfig some_training() {
  TrainConfig config;
  config.max_steps = 7;
  config.initial_weights = "/weights";
  config.model = {"mlp", {{"hidden_dims", std::vector<std::int64_t>{3, 4}}}};
  config.data.source = {"fashion_mnist", {{"root", std::string("/data")}}};
  config.optimizer = {"sgd", {{"learning_rate", 0.1}}};
  return config;
}

TEST(SettingList, HoldsWhatIsWrittenAndWhatIsNot) {
  const auto settings = list_settings(some_training(), bundled_schemas(), FilePlaces::left_out);
  EXPECT_THAT(settings, Contains("train.max_steps: 7"));
  EXPECT_THAT(settings, Contains("train.epochs: nothing"));
  EXPECT_THAT(settings, Contains("train.model.hidden_dims: 3, 4"));
  EXPECT_THAT(settings, Contains("train.optimizer.learning_rate: 0.1"));
  EXPECT_THAT(settings, Contains("train.ddp.shard_optimizer: false"));
  EXPECT_THAT(settings, Contains("train.loss.name: cross_entropy"));
  EXPECT_THAT(settings, Contains("train.loss.label_smoothing: 0"));
}

TEST(SettingList, LeavesOutWhereFilesAre) {
  EXPECT_THAT(
      list_settings(some_training(), bundled_schemas(), FilePlaces::left_out),
      Each(Not(testing::AnyOf(HasSubstr("/data"), HasSubstr("/weights"), HasSubstr("train.program")))));
}

TEST(SettingList, TellsWhereFilesAreIfAsked) {
  const auto settings = list_settings(some_training(), bundled_schemas(), FilePlaces::listed);
  EXPECT_THAT(settings, Contains("train.data.root: /data"));
  EXPECT_THAT(settings, Contains("train.model.weights: /weights"));
  EXPECT_THAT(settings, Contains("train.checkpoint.path: nothing"));
}

TEST(SettingList, FollowsTheStrategy) {
  TrainConfig config = some_training();
  config.strategy = with_defaults(bundled_schemas().strategies, "data_parallel");
  const auto settings = list_settings(config, bundled_schemas(), FilePlaces::left_out);
  EXPECT_THAT(settings, Contains("train.data_parallel.replicas: 2"));
  EXPECT_THAT(settings, Each(Not(HasSubstr("train.ddp."))));
}

}  // namespace
}  // namespace ddp::trainer
