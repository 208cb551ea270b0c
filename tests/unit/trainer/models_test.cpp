#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "tests/unit/trainer/same_tensors.hpp"
#include "trainer/loop/model_state.hpp"
#include "trainer/models/model.hpp"

namespace ddp::trainer {
namespace {

const Component kMlp{"mlp",
                     {{"input_dim", std::int64_t{6}},
                      {"hidden_dims", std::vector<std::int64_t>{5, 4}},
                      {"num_classes", std::int64_t{3}}}};
const Component kConvNet{"convnet", {{"num_classes", std::int64_t{10}}}};

std::string names_and_shapes(const Model& model) {
  std::ostringstream text;
  for (const auto& [name, tensor] : model_state(model)) text << name << tensor.sizes() << ' ';
  return text.str();
}

TEST(Mlp, HasTheNamesOfAModuleList) {
  EXPECT_EQ(names_and_shapes(*make_model(kMlp)),
            "layers.0.weight[5, 6] layers.0.bias[5] layers.1.weight[4, 5] layers.1.bias[4] "
            "layers.2.weight[3, 4] layers.2.bias[3] ");
}

TEST(Mlp, FlattensImages) {
  const auto model = make_model(kMlp);
  const auto images = at::randn({2, 1, 2, 3});
  EXPECT_TRUE(same_tensor(model->forward(images), model->forward(images.view({2, 6}))));
  EXPECT_EQ(model->forward(images).sizes(), (std::vector<std::int64_t>{2, 3}));
}

TEST(Mlp, WithoutHiddenLayersIsLinear) {
  auto component = kMlp;
  component.options.at("hidden_dims") = std::vector<std::int64_t>{};
  EXPECT_EQ(names_and_shapes(*make_model(component)), "layers.0.weight[3, 6] layers.0.bias[3] ");
}

TEST(ConvNet, HasTheNamesOfTheExample) {
  EXPECT_EQ(names_and_shapes(*make_model(kConvNet)),
            "conv1.weight[32, 1, 3, 3] conv1.bias[32] conv2.weight[64, 32, 3, 3] conv2.bias[64] "
            "fc1.weight[128, 9216] fc1.bias[128] fc2.weight[10, 128] fc2.bias[10] ");
}

TEST(ConvNet, DropsOutInTrainingOnly) {
  const auto model = make_model(kConvNet);
  const auto images = at::randn({2, 1, 28, 28});
  EXPECT_FALSE(same_tensor(model->forward(images), model->forward(images)));
  model->eval();
  EXPECT_TRUE(same_tensor(model->forward(images), model->forward(images)));
}

TEST(Models, SameSeedSameParameters) {
  for (const auto& component : {kMlp, kConvNet}) {
    torch::manual_seed(11);
    const auto first = model_state(*make_model(component));
    torch::manual_seed(11);
    EXPECT_TRUE(same_tensors(first, model_state(*make_model(component)))) << component.name;
  }
}

TEST(ModelState, RefusesWhatDoesNotFit) {
  const auto model = make_model(kMlp);
  NamedTensors state;
  for (const auto& [name, tensor] : model_state(*model)) state.emplace_back(name, tensor + 1);
  load_model_state(*model, state);
  EXPECT_TRUE(same_tensors(model_state(*model), state));

  auto renamed = state;
  renamed[0].first = "layers.9.weight";
  EXPECT_THROW(load_model_state(*model, renamed), std::invalid_argument);
  auto reshaped = state;
  reshaped[0].second = at::zeros({5, 7});
  EXPECT_THROW(load_model_state(*model, reshaped), std::invalid_argument);
  state.pop_back();
  EXPECT_THROW(load_model_state(*model, state), std::invalid_argument);
}

}  // namespace
}  // namespace ddp::trainer
