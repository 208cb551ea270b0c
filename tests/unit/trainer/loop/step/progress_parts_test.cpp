#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "ddp/jobenv/own_progress.hpp"
#include "ddp/trainer/init_process_group.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/trainer/plain_strategy.hpp"
#include "tests/unit/trainer/small_training.hpp"
#include "trainer/checkpoint/safetensors.hpp"
#include "trainer/data/datasets/datasets.hpp"
#include "trainer/loop/step/evaluation.hpp"
#include "trainer/loss/loss.hpp"
#include "trainer/models/models.hpp"

// What takes long is seen on the page of the rank.
namespace ddp::trainer {
namespace {

/// Of the process, so it is never destroyed. Nothing is done yet.
ProgressPage& fresh_page() {
  static ProgressPage page;
  show_progress_on(page);
  page.parts = 0;
  return page;
}

TEST(ProgressParts, EveryBatchOfAnEvaluationIsOne) {
  const TrainConfig config = small_config();
  PlainStrategy strategy(make_model(config.model));
  const auto data = make_dataset(config.data.source, Split::test, 0);
  ProcessGroup group = init_process_group({});
  const ProgressPage& page = fresh_page();
  AgreedStop never(
      group, [] { return false; }, std::nullopt);
  ASSERT_TRUE(evaluate(strategy, make_loss(config.loss), *data, {.batch_size = 10}, never, group));
  EXPECT_EQ(page.parts, 5U);
}

TEST(ProgressParts, EveryMebibyteOfACheckpointIsOne) {
  const TemporaryFolder folder;
  const NamedTensors tensors = {{"w", at::zeros({3 << 20}, at::kByte)}};
  ProgressPage& page = fresh_page();
  page.phase = Phase::checkpoint;
  save_safetensors(folder / "w.safetensors", tensors);
  const auto written = page.parts.load();
  EXPECT_GE(written, 3U);
  (void)load_safetensors(folder / "w.safetensors");
  EXPECT_GE(page.parts, written + 3);
}

TEST(ProgressParts, AWriteBesideTheTrainingShowsNoStep) {
  const TemporaryFolder folder;
  ProgressPage& page = fresh_page();
  page.phase = Phase::step;
  save_safetensors(folder / "w.safetensors", {{"w", at::zeros({3 << 20}, at::kByte)}});
  EXPECT_EQ(page.parts, 0U);
}

}  // namespace
}  // namespace ddp::trainer
