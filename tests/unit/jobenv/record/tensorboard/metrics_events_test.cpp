#include "jobenv/record/tensorboard/metrics_events.hpp"

#include <gtest/gtest.h>

#include "jobenv/record/tensorboard/events.hpp"

namespace ddp::tensorboard {
namespace {

TEST(MetricsEvents, EvaluationsAreOfTheTestSet) {
  EXPECT_EQ(tag_of("train", "loss"), "train/loss");
  EXPECT_EQ(tag_of("evaluate", "accuracy"), "test/accuracy");
  EXPECT_EQ(tag_of("checkpoint", "write_ms"), "checkpoint/write_ms");
}

TEST(MetricsEvents, ARecordBecomesTheScalarsThatItHas) {
  using std::chrono::milliseconds;
  const MetricsRecord record{.kind = "train",
                             .step = 20,
                             .time = std::chrono::system_clock::time_point(milliseconds(1500)),
                             .loss = 0.5,
                             .total_steps = 100,
                             .learning_rate = 0.1,
                             .others = {{"perplexity", 3}}};
  const std::vector<Scalar> scalars = {
      {"train/loss", 0.5}, {"train/learning_rate", 0.1}, {"train/perplexity", 3}};
  EXPECT_EQ(render_metrics(record), render_scalars(1.5, 20, scalars));
}

TEST(MetricsEvents, ARecordWithoutNumbersIsNone) {
  EXPECT_EQ(render_metrics({.kind = "train", .step = 20, .total_steps = 100}), "");
}

}  // namespace
}  // namespace ddp::tensorboard
