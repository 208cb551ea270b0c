#include "trainer/loop/step/non_finite.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/unit/trainer/plain_strategy.hpp"
#include "tests/unit/trainer/small_training.hpp"
#include "trainer/models/models.hpp"

namespace ddp::trainer {
namespace {

TEST(NonFinite, EndsWhenTheLossIsNotFinite) {
  TrainConfig config = small_config();
  config.optimizer.options.at("learning_rate") = 1e38;
  try {
    (void)run(config, {});
    FAIL() << "it went on";
  } catch (const NonFinite& error) {
    EXPECT_STREQ(error.what(),
                 "the loss of step 2 is NaN: parameter 'layers.0.weight' is not finite: the update of the "
                 "step before went wrong");
  }
}

TEST(NonFinite, SavesNothingThatIsNotFinite) {
  for (const bool at_each_step : {false, true}) {
    const TemporaryFolder folder;
    TrainConfig config = small_config();
    config.epochs.reset();
    config.max_steps = 1;
    config.evaluate.every_epochs = at_each_step ? 0 : 1;
    if (at_each_step) config.checkpoint.every_steps = 1;
    run(config, folder.path());
    config.max_steps = 2;
    config.optimizer.options.at("learning_rate") = std::numeric_limits<double>::infinity();
    try {
      (void)run(config, folder.path());
      FAIL() << "it went on";
    } catch (const NonFinite& error) {
      EXPECT_STREQ(error.what(),
                   "parameter 'layers.0.weight' is not finite after step 2: the update of this step went "
                   "wrong, and no checkpoint of it is kept");
    }
    EXPECT_EQ(newest(folder.path()).step, 1u);
  }
}

TEST(NonFinite, AnEvaluationMustBeFiniteToo) {
  ProcessGroup group = init_process_group({});
  const auto model = make_model(small_config().model);
  const PlainStrategy strategy(model);
  EXPECT_NO_THROW(check_finite_evaluation(0.5, strategy, 7, group));
  EXPECT_THROW(check_finite_evaluation(std::numeric_limits<double>::infinity(), strategy, 7, group),
               NonFinite);
  const at::NoGradGuard no_grad;
  model->named_parameters()["layers.1.bias"][1].fill_(std::numeric_limits<float>::quiet_NaN());
  try {
    check_finite_evaluation(std::numeric_limits<double>::quiet_NaN(), strategy, 7, group);
    FAIL() << "it went on";
  } catch (const NonFinite& error) {
    EXPECT_STREQ(error.what(),
                 "the loss of the evaluation after step 7 is NaN: parameter 'layers.1.bias' is not finite");
  }
}

TEST(NonFinite, NamesTheFirstCause) {
  const auto model = make_model(small_config().model);
  const PlainStrategy strategy(model);
  const auto message = [&](const Batch& batch, float loss, float logit) -> std::string {
    const std::vector<MicroBatch> batches = {{batch}};
    const std::vector<PassResult> passes = {
        {at::full({}, loss), at::full({2, 3}, logit), at::zeros({2}, at::kLong)}};
    try {
      check_finite(passes, batches, strategy, 7);
    } catch (const NonFinite& error) {
      return error.what();
    }
    return "fine";
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  const Batch good{at::ones({2, 8}), at::zeros({2}, at::kLong)};
  const Batch bad{at::full({2, 8}, infinity), at::zeros({2}, at::kLong)};
  EXPECT_EQ(message(good, 1, 1), "fine");
  EXPECT_EQ(message(bad, nan, nan), "the loss of step 7 is NaN: the inputs of its batch are not finite");
  EXPECT_EQ(message(good, infinity, infinity),
            "the loss of step 7 is infinite: the output of the model is not finite");
  const at::NoGradGuard no_grad;
  model->named_parameters()["layers.1.bias"].fill_(nan);
  EXPECT_EQ(message(good, nan, nan),
            "the loss of step 7 is NaN: parameter 'layers.1.bias' is not finite: the update of the step "
            "before went wrong");
}

}  // namespace
}  // namespace ddp::trainer
