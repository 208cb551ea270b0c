#include "trainer/config/missing_data.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_folder.hpp"

namespace ddp::trainer {
namespace {

class MissingDataTest : public testing::Test {
 protected:
  MissingDataTest() { config.data.source = {"fashion_mnist", {{"root", folder.path().string()}}}; }
  void make(const std::string& name) const { std::ofstream(folder / name) << "x"; }

  TemporaryFolder folder;
  TrainConfig config;
};

TEST_F(MissingDataTest, NamesTheFirstFileThatIsNotThere) {
  make("train-images-idx3-ubyte.gz");
  const auto missing = find_missing_data(config, bundled_schemas());
  ASSERT_TRUE(missing);
  EXPECT_EQ(missing->option, "train.data.root");
  EXPECT_EQ(missing->message,
            "Fashion-MNIST is not in '" + folder.path().string() +
                "': there is neither train-labels-idx1-ubyte nor train-labels-idx1-ubyte.gz");
  EXPECT_NE(missing->hint.find("dataset-fashion-mnist"), std::string::npos);
}

TEST_F(MissingDataTest, NeedsTheTestSplitOnlyToEvaluate) {
  make("train-images-idx3-ubyte.gz");
  make("train-labels-idx1-ubyte");
  EXPECT_TRUE(find_missing_data(config, bundled_schemas()));
  config.evaluate.every_epochs = 0;
  EXPECT_FALSE(find_missing_data(config, bundled_schemas()));
  config.evaluate.every_epochs = 1;
  make("t10k-images-idx3-ubyte");
  make("t10k-labels-idx1-ubyte.gz");
  EXPECT_FALSE(find_missing_data(config, bundled_schemas()));
}

TEST_F(MissingDataTest, ToEvaluateNeedsTheTestSplitAlone) {
  config.mode = Mode::evaluate;
  make("t10k-images-idx3-ubyte");
  EXPECT_TRUE(find_missing_data(config, bundled_schemas()));
  make("t10k-labels-idx1-ubyte.gz");
  EXPECT_FALSE(find_missing_data(config, bundled_schemas()));
}

TEST_F(MissingDataTest, NamesAFileOfWeightsThatIsNotThere) {
  config.data.source = {"synthetic", {}};
  config.initial_weights = folder / "resnet18.safetensors";
  const auto missing = find_missing_data(config, bundled_schemas());
  ASSERT_TRUE(missing);
  EXPECT_EQ(missing->option, "train.model.weights");
  EXPECT_EQ(missing->message, "there is no file or folder '" + *config.initial_weights + "'");
  make("resnet18.safetensors");
  EXPECT_FALSE(find_missing_data(config, bundled_schemas()));
}

TEST_F(MissingDataTest, NamesAFolderWithoutWeights) {
  config.data.source = {"synthetic", {}};
  config.initial_weights = folder.path();
  const auto missing = find_missing_data(config, bundled_schemas());
  ASSERT_TRUE(missing);
  EXPECT_EQ(missing->option, "train.model.weights");
  EXPECT_NE(missing->message.find("contains no weights"), std::string::npos) << missing->message;
  EXPECT_NE(missing->hint.find("run folder"), std::string::npos) << missing->hint;
  make("shard-00001-model-00001-of-00001.safetensors");
  EXPECT_FALSE(find_missing_data(config, bundled_schemas()));
}

TEST_F(MissingDataTest, ARunFolderHasTheWeightsOfItsNewestCheckpoint) {
  config.data.source = {"synthetic", {}};
  config.initial_weights = folder.path();
  const auto checkpoint = folder / "checkpoints" / "step-00000002-a0";
  std::filesystem::create_directories(checkpoint);
  make("checkpoints/LATEST");
  EXPECT_TRUE(find_missing_data(config, bundled_schemas()));
  std::ofstream(folder / "checkpoints/LATEST") << "step-00000002-a0\n";
  std::ofstream(checkpoint / "manifest.json") << "{}";
  EXPECT_FALSE(find_missing_data(config, bundled_schemas()));
  config.initial_weights = folder / "checkpoints/LATEST";
  EXPECT_FALSE(find_missing_data(config, bundled_schemas()));
  std::filesystem::remove_all(checkpoint);
  const auto missing = find_missing_data(config, bundled_schemas());
  ASSERT_TRUE(missing);
  EXPECT_NE(missing->message.find("points to a checkpoint that does not exist"), std::string::npos);
}

TEST_F(MissingDataTest, SaysWhereADatasetComesFrom) {
  const auto hint = [&](const char* name) {
    config.data.source = {name, {{"root", folder.path().string()}}};
    const auto missing = find_missing_data(config, bundled_schemas());
    return missing ? missing->message + "\n" + missing->hint : "nothing";
  };
  EXPECT_NE(hint("cifar10").find("data_batch_1.bin"), std::string::npos);
  EXPECT_NE(hint("cifar10").find("https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz"),
            std::string::npos);
  EXPECT_NE(hint("mnist").find("train-images-idx3-ubyte"), std::string::npos);
  EXPECT_NE(hint("mnist").find("MNIST/raw"), std::string::npos);
  EXPECT_NE(hint("image_folder").find("train/CLASS/"), std::string::npos);
  for (const int i : {1, 2, 3, 4, 5}) make("data_batch_" + std::to_string(i) + ".bin");
  EXPECT_NE(hint("cifar10").find("test_batch.bin"), std::string::npos);
  config.evaluate.every_epochs = 0;
  EXPECT_EQ(hint("cifar10"), "nothing");
}

TEST_F(MissingDataTest, KnowsTheFilesOfTensors) {
  config.data.source = {"tensor_file",
                        {{"train_file", (folder / "a").string()}, {"test_file", std::string()}}};
  EXPECT_EQ(find_missing_data(config, bundled_schemas())->option, "train.data.train_file");
  make("a");
  EXPECT_EQ(find_missing_data(config, bundled_schemas())->option, "train.data.test_file");
  config.evaluate.every_epochs = 0;
  EXPECT_FALSE(find_missing_data(config, bundled_schemas()));
}

TEST_F(MissingDataTest, MissesNothingOfMadeUpData) {
  config.data.source = {"synthetic", {}};
  EXPECT_FALSE(find_missing_data(config, bundled_schemas()));
}

}  // namespace
}  // namespace ddp::trainer
