#include "trainer/checkpoint/weights.hpp"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/unit/trainer/checkpoint/sharded_fixture.hpp"
#include "trainer/checkpoint/checkpoint.hpp"
#include "trainer/checkpoint/format/file_names.hpp"
#include "trainer/checkpoint/safetensors.hpp"

namespace ddp::trainer {
namespace {

using std::filesystem::path;
using testing::AllOf;
using testing::HasSubstr;

class Weights : public testing::Test {
 protected:
  [[nodiscard]] std::string fault() const {
    try {
      (void)load_weights(folder_.path());
    } catch (const std::exception& error) {
      return error.what();
    }
    return "none";
  }

  void write_index(const std::string& text) const {
    std::ofstream(folder_ / "model.safetensors.index.json", std::ios::trunc) << text;
  }

  TemporaryFolder folder_;
  const NamedTensors model_ = large_state_of(2).model;
};

TEST_F(Weights, AreReadFromAFile) {
  save_safetensors(folder_ / "any.safetensors", model_);
  EXPECT_TRUE(same_tensors(load_weights(folder_ / "any.safetensors"), model_));
  EXPECT_THROW((void)load_weights(folder_ / "none.safetensors"), std::runtime_error);
}

TEST_F(Weights, AreReadFromAFolderWithOneFile) {
  save_safetensors(folder_ / "model.safetensors", model_);
  save_safetensors(folder_ / "other.safetensors", {{"other", at::ones({1})}});
  EXPECT_TRUE(same_tensors(load_weights(folder_.path()), model_));
}

TEST_F(Weights, AreReadFromTheFilesOfDcp) {
  for (int rank = 0; rank < 3; ++rank)  // no manifest, no state.json
    (void)save_shard_files(folder_.path(), rank,
                           {.model = rows_of_rank(model_, rank, 3),
                            .optimizer = rows_of_rank({{"w.exp_avg", at::ones({9})}}, rank, 3)});
  EXPECT_TRUE(same_tensors(load_weights(folder_.path()), model_));
  const TensorFiles weights = open_weights(folder_.path());
  EXPECT_TRUE(same_tensor(weights.read_rows("embed.weight", 2, 6), model_[2].second.narrow(0, 2, 4)));
  std::filesystem::remove(folder_ / render_shard_name(1, TensorPart::model));
  EXPECT_THAT(fault(), AllOf(HasSubstr(folder_.path().string()), HasSubstr("but no shard holds rows ")));
}

TEST_F(Weights, AreReadFromACheckpoint) {
  const TrainingState state = large_state_of(2);
  save_checkpoint_files(folder_ / "whole", state);
  save_sharded_files(folder_ / "sharded", state, 4);
  for (const char* name : {"whole", "sharded"}) {
    EXPECT_TRUE(same_tensors(load_weights(folder_ / name), state.model)) << name;
    EXPECT_TRUE(same_tensor(open_weights(folder_ / name).read("embed.weight"), state.model[2].second))
        << name;
  }
}

TEST_F(Weights, OfARunAreThoseOfItsNewestCheckpoint) {
  const path checkpoints = folder_ / "checkpoints";
  std::filesystem::create_directory(checkpoints);
  EXPECT_THROW((void)load_weights(folder_.path()), NoWeights);
  CheckpointStore store(checkpoints, 0, [] { return 0; });
  TrainingState state = large_state_of(2);
  store.save(state, 3);
  state.step += 1;
  state.model[2].second = state.model[2].second + 1;
  store.save(state, 3);
  for (const path& place : {folder_.path(), checkpoints, checkpoints / "LATEST"}) {
    EXPECT_TRUE(same_tensors(load_weights(place), state.model)) << place;
    EXPECT_TRUE(same_tensor(open_weights(place).read("embed.weight"), state.model[2].second)) << place;
  }
  std::ofstream(checkpoints / "LATEST") << "step-00000099-a0\n";
  EXPECT_THROW((void)load_weights(checkpoints / "LATEST"), NoWeights);
}

TEST_F(Weights, OfACheckpointAreCompared) {
  save_sharded_files(folder_.path(), large_state_of(2), 2);
  const path file = folder_ / render_shard_name(1, TensorPart::model);
  std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekp(-1, std::ios::end).put('!').flush();
  EXPECT_THAT(fault(), AllOf(HasSubstr(file.string()), HasSubstr("does not match its manifest")));
}

TEST_F(Weights, AreReadFromTheFilesOfAnIndex) {
  save_safetensors(folder_ / "model-00001-of-00002.safetensors", {model_[0], model_[2]});
  save_safetensors(folder_ / "model-00002-of-00002.safetensors", {model_[1]});
  save_safetensors(folder_ / "model.safetensors", {{"of.an.earlier.model", at::ones({1})}});
  write_index(
      R"({"metadata":{"total_size":1},"weight_map":{"fc.weight":"model-00001-of-00002.safetensors",)"
      R"("fc.bias":"model-00002-of-00002.safetensors","embed.weight":"model-00001-of-00002.safetensors"}})");
  EXPECT_TRUE(same_tensors(load_weights(folder_.path()), {model_[0], model_[2], model_[1]}));
  write_index(R"({"weight_map":{"fc.weight":"model-00002-of-00002.safetensors"}})");
  EXPECT_THAT(fault(), HasSubstr("has no tensor 'fc.weight', but 'model.safetensors.index.json' says so"));
  write_index(R"({"weight_map":{"fc.weight":"model-00009-of-00002.safetensors"}})");
  EXPECT_THAT(fault(), HasSubstr("model-00009-of-00002.safetensors"));
}

TEST_F(Weights, AnIndexThatMakesNoSenseIsRefused) {
  for (const char* text : {"", "[]", "{"}) {
    write_index(text);
    EXPECT_THAT(fault(), HasSubstr("is not a JSON object")) << text;
  }
  for (const char* text : {"{}", R"({"weight_map":[]})", R"({"weight_map":{}})"}) {
    write_index(text);
    EXPECT_THAT(fault(), HasSubstr("it has no weight_map")) << text;
  }
  for (const char* file : {"1", "\"\"", "\"../a.safetensors\"", "\"/a.safetensors\"", "\"..\"", "null"}) {
    write_index(std::string(R"({"weight_map":{"w":)") + file + "}}");
    EXPECT_THAT(fault(), HasSubstr("the file of tensor 'w' is not the name of a file beside it")) << file;
  }
}

TEST_F(Weights, AFolderWithoutThemSaysWhatItMayHold) {
  std::ofstream(folder_ / "pytorch_model.bin") << "x";
  EXPECT_THAT(fault(), AllOf(HasSubstr("contains no weights: neither model.safetensors"),
                             HasSubstr("shard-*-model-*.safetensors")));
}

TEST_F(Weights, AFolderOfPyTorchsFileSystemWriterSaysHowToConvertIt) {
  std::ofstream(folder_ / "__0_0.distcp") << "x";
  std::ofstream(folder_ / ".metadata") << "x";
  EXPECT_THAT(fault(), AllOf(HasSubstr("the .distcp format of PyTorch, which ddptrain does not read"),
                             HasSubstr("HuggingFaceStorageWriter")));
  save_safetensors(folder_ / "model.safetensors", model_);
  EXPECT_TRUE(same_tensors(load_weights(folder_.path()), model_));
}

}  // namespace
}  // namespace ddp::trainer
