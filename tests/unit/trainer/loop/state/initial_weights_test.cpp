#include "trainer/loop/state/initial_weights.hpp"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "ddp/trainer/init_process_group.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/trainer/plain_strategy.hpp"
#include "tests/unit/trainer/same_tensors.hpp"
#include "trainer/checkpoint/safetensors.hpp"
#include "trainer/models/model_state.hpp"
#include "trainer/models/models.hpp"

namespace ddp::trainer {
namespace {

class InitialWeights : public testing::Test {
 protected:
  InitialWeights() {
    for (const auto& [name, tensor] : model_state(*model)) weights.emplace_back(name, at::randn_like(tensor));
  }

  void load() {
    const auto file = folder / (std::to_string(files++) + ".safetensors");
    save_safetensors(file, weights);
    PlainStrategy strategy(model);
    load_initial_weights(strategy, file, group);
  }

  /// Behind the name of the file.
  std::string fault() {
    try {
      load();
    } catch (const WeightsMismatch& mismatch) {
      const std::string text = mismatch.what();
      return text.substr(text.find("' do not match") + 2);
    }
    return "none";
  }

  TemporaryFolder folder;
  ProcessGroup group = init_process_group({});
  std::shared_ptr<Model> model = make_model({"mlp",
                                             {{"input_dim", std::int64_t{3}},
                                              {"hidden_dims", std::vector<std::int64_t>{}},
                                              {"num_classes", std::int64_t{2}}}});
  NamedTensors weights;
  int files = 0;
};

TEST_F(InitialWeights, AreTakenByName) {
  const NamedTensors expected = weights;
  std::swap(weights[0], weights[1]);
  load();
  EXPECT_TRUE(same_tensors(model_state(*model), expected));
  EXPECT_TRUE(model->parameters()[0].requires_grad());
}

TEST_F(InitialWeights, AreTakenFromTheFilesOfAFolder) {
  const auto place = folder / "shards";
  std::filesystem::create_directory(place);
  const torch::Tensor& weight = weights[0].second;
  save_safetensors_shard(place / "shard-00001-model-00001-of-00001.safetensors",
                         {whole_tensor(weights[1].first, weights[1].second),
                          {weights[0].first, weight.narrow(0, 0, 1), 0, weight.sizes().vec()}});
  save_safetensors_shard(place / "shard-00002-model-00001-of-00001.safetensors",
                         {{weights[0].first, weight.narrow(0, 1, 1), 1, weight.sizes().vec()}});
  PlainStrategy strategy(model);
  EXPECT_EQ(load_initial_weights(strategy, place, group), place);
  EXPECT_TRUE(same_tensors(model_state(*model), weights));
}

TEST_F(InitialWeights, AFolderWithoutThemIsRefused) {
  PlainStrategy strategy(model);
  EXPECT_THROW(load_initial_weights(strategy, folder.path(), group), InvalidConfiguration);
}

TEST_F(InitialWeights, AreConvertedToTheModelsType) {
  weights[0].second = weights[0].second.to(at::kHalf);
  load();
  EXPECT_TRUE(same_tensor(model_state(*model)[0].second, weights[0].second.to(at::kFloat)));
}

TEST_F(InitialWeights, OfAnotherModelAreRefusedByTensor) {
  const NamedTensors right = weights;
  weights[0].second = at::randn({5, 3});
  EXPECT_EQ(fault(), "do not match the model: 'layers.0.weight' has shape [5, 3], but [2, 3] in the model");
  weights = right;
  weights[1].first = "fc.bias";
  EXPECT_EQ(fault(), "do not match the model: 'layers.0.bias' is missing; the model has no 'fc.bias'");
  weights = right;
  weights[0].second = at::zeros({2, 3}, at::kLong);
  EXPECT_EQ(fault(), "do not match the model: 'layers.0.weight' has type Long, but Float in the model");
  weights = right;
  for (const char* name : {"a", "b", "c", "d", "e"}) weights.emplace_back(name, at::zeros({1}));
  EXPECT_EQ(fault(),
            "do not match the model: the model has no 'a'; the model has no 'b'; the model has no 'c'; "
            "and 2 more");
}

TEST_F(InitialWeights, LeaveTheModelAloneWhenTheyDoNotFit) {
  const NamedTensors before = weights;
  load();
  weights[1].second = at::zeros({9});
  weights[0].second.zero_();
  EXPECT_NE(fault(), "none");
  EXPECT_EQ(same_tensor(model_state(*model)[1].second, before[1].second), true);
}

}  // namespace
}  // namespace ddp::trainer
