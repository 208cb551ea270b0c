#include "cli/store/metrics/training_progress.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

class TrainingProgressTest : public testing::Test {
 protected:
  void append(const std::string& text) const { std::ofstream(run.metrics(), std::ios::app) << text; }
  [[nodiscard]] std::optional<TrainingProgress> load() const { return load_training_progress(run); }

  TemporaryFolder folder;
  RunFolder run{folder.path()};
};

TEST_F(TrainingProgressTest, IsTheLastRecord) {
  append("{\"kind\":\"train\",\"attempt\":0,\"step\":50,\"epoch\":0,\"loss\":0.9}\n");
  append("{\"kind\":\"evaluate\",\"attempt\":0,\"step\":100,\"epoch\":1,\"loss\":0.25}\n");
  const auto progress = load();
  ASSERT_TRUE(progress);
  EXPECT_EQ(progress->kind, "evaluate");
  EXPECT_EQ(progress->step, 100);
  EXPECT_EQ(progress->epoch, 1);
  EXPECT_EQ(progress->loss, 0.25);
}

TEST_F(TrainingProgressTest, KeepsTheThroughputThatEvaluationsDoNotTell) {
  append("{\"kind\":\"train\",\"attempt\":0,\"step\":50,\"loss\":0.9,\"samples_per_second\":12.5}\n");
  append("{\"kind\":\"evaluate\",\"attempt\":0,\"step\":50,\"loss\":0.25}\n");
  EXPECT_EQ(load()->samples_per_second, 12.5);
  EXPECT_EQ(load()->training_loss, 0.9);
  EXPECT_EQ(load()->loss, 0.25);
}

TEST_F(TrainingProgressTest, HasTheLastValueOfEachMetric) {
  append("{\"kind\":\"train\",\"attempt\":0,\"step\":6,\"loss\":0.5,\"lr\":0.1}\n");
  append("{\"kind\":\"train\",\"attempt\":0,\"step\":7,\"loss\":0.25}\n");
  append("{\"kind\":\"evaluate\",\"attempt\":0,\"step\":8,\"val_loss\":0.75,\"accuracy\":0.5,\"epoch\":1}\n");
  const auto progress = load();
  ASSERT_TRUE(progress);
  EXPECT_EQ(progress->step, 8);
  EXPECT_EQ(progress->epoch, 1);
  EXPECT_EQ(progress->loss, 0.25);
  EXPECT_EQ(progress->kind, "train") << "that told the loss";
  EXPECT_EQ(progress->accuracy, 0.5);
  const std::map<std::string, ToldMetric> expected = {{"loss", {0.25, 7, "train"}},
                                                      {"lr", {0.1, 6, "train"}},
                                                      {"val_loss", {0.75, 8, "evaluate"}},
                                                      {"accuracy", {0.5, 8, "evaluate"}}};
  EXPECT_EQ(progress->metrics, expected);
}

TEST_F(TrainingProgressTest, ALossThatIsNotFiniteIsNotHiddenByAnEarlierOne) {
  append("{\"kind\":\"train\",\"attempt\":0,\"step\":7,\"loss\":0.25}\n");
  append("{\"kind\":\"train\",\"attempt\":0,\"step\":8,\"loss\":null}\n");
  EXPECT_EQ(load()->loss, std::nullopt);
  EXPECT_EQ(load()->metrics.at("loss").step, 8);
}

TEST_F(TrainingProgressTest, IsFoundAtTheEndOfALongFile) {
  for (int step = 0; step < 1000; ++step)
    append("{\"attempt\":0,\"step\":" + std::to_string(step) + ",\"epoch\":2,\"loss\":1}\n");
  EXPECT_EQ(load()->step, 999);
}

TEST_F(TrainingProgressTest, IsNotThatOfACheckpoint) {
  append("{\"kind\":\"checkpoint\",\"attempt\":0,\"step\":40,\"epoch\":0}\n");
  EXPECT_EQ(load()->step, 40) << "but for want of another";
  append("{\"kind\":\"train\",\"attempt\":0,\"step\":50,\"epoch\":0,\"loss\":0.9}\n");
  append("{\"kind\":\"checkpoint\",\"attempt\":0,\"step\":50,\"epoch\":0}\n");
  append("{\"kind\":\"checkpoint_failed\",\"attempt\":0,\"step\":51,\"epoch\":0}\n");
  EXPECT_EQ(load()->kind, "train");
  EXPECT_EQ(load()->loss, 0.9);
}

TEST_F(TrainingProgressTest, IsNotTheFirstStepOfAnAttempt) {
  append("{\"kind\":\"first_step\",\"attempt\":0,\"step\":1,\"epoch\":1}\n");
  EXPECT_EQ(load()->step, 1) << "but for want of another";
  append("{\"kind\":\"train\",\"attempt\":0,\"step\":50,\"epoch\":1,\"loss\":0.9}\n");
  append("{\"kind\":\"first_step\",\"attempt\":1,\"step\":41,\"epoch\":1}\n");
  EXPECT_EQ(load()->loss, 0.9);
}

TEST_F(TrainingProgressTest, DoesNotTakeALineThatIsBeingWritten) {
  append("{\"attempt\":0,\"step\":1,\"epoch\":0,\"loss\":null}\n{\"attempt\":0,\"step\":2,\"ep");
  ASSERT_TRUE(load());
  EXPECT_EQ(load()->step, 1);
  EXPECT_FALSE(load()->loss) << "a loss that is no number";
}

TEST_F(TrainingProgressTest, TellsWhichAttemptWroteIt) {
  append("{\"attempt\":0,\"step\":9,\"epoch\":1,\"loss\":1}\n");
  EXPECT_EQ(load()->attempt, 0);
  append("{\"attempt\":2,\"step\":5,\"epoch\":1,\"loss\":1}\n");
  EXPECT_EQ(load()->attempt, 2);
  EXPECT_EQ(load()->step, 5);
}

TEST_F(TrainingProgressTest, OfAProgramOfOnesOwnMayHaveNoEpoch) {
  append("{\"attempt\":0,\"step\":9,\"total_steps\":90,\"loss\":1}\n");
  ASSERT_TRUE(load());
  EXPECT_EQ(load()->epoch, std::nullopt);
  EXPECT_EQ(load()->total_steps, 90);
}

TEST_F(TrainingProgressTest, IsUnknownWithoutARecord) {
  EXPECT_FALSE(load());
  for (const char* line : {"", "\n", "[1]\n", "nonsense\n", "{\"attempt\":0,\"step\":\"1\",\"epoch\":0}\n"}) {
    std::ofstream(run.metrics()) << line;
    EXPECT_FALSE(load()) << line;
  }
}

TEST_F(TrainingProgressTest, TellsOfACheckpointThatFailedUntilOneIsWritten) {
  const std::string train = R"({"kind":"train","attempt":0,"step":50,"loss":0.9})";
  append(train + "\n" + R"({"kind":"checkpoint_failed","attempt":0,"step":40,"message":"disk full"})" + "\n");
  for (int line = 0; line < 500; ++line) append(train + "\n");
  ASSERT_TRUE(load()->failed_checkpoint);
  EXPECT_EQ(load()->failed_checkpoint->step, 40);
  EXPECT_EQ(load()->failed_checkpoint->reason, "disk full");
  EXPECT_EQ(load()->loss, 0.9);
  append(R"({"kind":"checkpoint","attempt":0,"step":60})"
         "\n" +
         train + "\n");
  EXPECT_FALSE(load()->failed_checkpoint);
}

}  // namespace
}  // namespace ddp::cli
