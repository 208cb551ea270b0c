#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/utils.h>

#include <algorithm>

#include "ddp/trainer/block.hpp"
#include "ddp/trainer/invalid_configuration.hpp"
#include "tests/unit/trainer/plain_strategy.hpp"
#include "tests/unit/trainer/same_tensors.hpp"
#include "trainer/config/component_schema.hpp"
#include "trainer/models/memory_format.hpp"
#include "trainer/models/model_state.hpp"
#include "trainer/models/models.hpp"

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

Component resnet(const std::string& name, std::int64_t classes, const std::string& stem,
                 std::int64_t channels) {
  return {
      name,
      {{"num_classes", classes}, {"stem", stem}, {"in_channels", channels}, {"zero_init_residual", false}}};
}

std::int64_t parameter_count(const Component& component) {
  std::int64_t count = 0;
  for (const auto& parameter : make_model(component)->parameters()) count += parameter.numel();
  return count;
}

TEST(ResNet, HasAsManyParametersAsTorchvisionSays) {
  EXPECT_EQ(parameter_count(resnet("resnet18", 1000, "imagenet", 3)), 11'689'512);
  EXPECT_EQ(parameter_count(resnet("resnet34", 1000, "imagenet", 3)), 21'797'672);
  EXPECT_EQ(parameter_count(resnet("resnet50", 1000, "imagenet", 3)), 25'557'032);
}

TEST(ResNet, HasTorchvisionsNames) {
  const std::string names = names_and_shapes(*make_model(resnet("resnet18", 10, "imagenet", 3)));
  EXPECT_TRUE(
      names.starts_with("conv1.weight[64, 3, 7, 7] bn1.weight[64] bn1.bias[64] "
                        "layer1.0.conv1.weight[64, 64, 3, 3] layer1.0.bn1.weight[64] "))
      << names;
  EXPECT_NE(names.find("layer2.0.bn2.bias[128] layer2.0.downsample.0.weight[128, 64, 1, 1] "
                       "layer2.0.downsample.1.weight[128] "),
            std::string::npos)
      << names;
  EXPECT_NE(names.find("fc.weight[10, 512] fc.bias[10] bn1.running_mean[64] bn1.running_var[64] "
                       "bn1.num_batches_tracked[] "),
            std::string::npos)
      << names;
}

TEST(ResNet, TakesImagesOfAnySizeAndNumberOfChannels) {
  for (const char* stem : {"imagenet", "cifar"}) {
    for (const std::int64_t channels : {1, 3}) {
      const auto model = make_model(resnet("resnet18", 7, stem, channels));
      EXPECT_EQ(model->forward(at::randn({2, channels, 28, 28})).sizes(), (std::vector<std::int64_t>{2, 7}));
    }
  }
}

TEST(ResNet, TheCifarStemKeepsTheImage) {
  const auto model = make_model(resnet("resnet18", 10, "cifar", 3));
  EXPECT_EQ(model->named_parameters()["conv1.weight"].sizes(), (std::vector<std::int64_t>{64, 3, 3, 3}));
}

TEST(ResNet, BlocksCanStartAsTheIdentity) {
  for (const char* name : {"resnet18", "resnet50"}) {
    auto component = resnet(name, 10, "cifar", 3);
    component.options.at("zero_init_residual") = true;
    const auto parameters = make_model(component)->named_parameters();
    const std::string last = std::string(name) == "resnet18" ? "bn2" : "bn3";
    EXPECT_FALSE(parameters["layer1.0." + last + ".weight"].any().item<bool>()) << name;
    EXPECT_TRUE(parameters["layer1.0.bn1.weight"].all().item<bool>()) << name;
  }
}

TEST(Models, AreKnownToHaveNoBlocks) {
  for (const ComponentSchema& schema : bundled_schemas().models) {
    const auto modules = make_model(with_defaults(schema))->modules();
    const bool has_none = std::ranges::none_of(
        modules, [](const auto& module) { return dynamic_cast<const Block*>(module.get()) != nullptr; });
    EXPECT_EQ(has_none, schema.blocks == ComponentSchema::Blocks::none) << schema.name;
  }
}

TEST(Models, AreKnownToHaveBatchNorm) {
  for (const ComponentSchema& schema : bundled_schemas().models) {
    const auto modules = make_model(with_defaults(schema))->modules();
    const bool has_some = std::ranges::any_of(modules, [](const auto& module) {
      return dynamic_cast<const torch::nn::BatchNorm2dImpl*>(module.get()) != nullptr;
    });
    EXPECT_EQ(has_some, schema.batch_norm == ComponentSchema::BatchNorm::present) << schema.name;
  }
}

TEST(Models, AreKnownToDrawNoRandomNumbers) {
  for (const ComponentSchema& schema : bundled_schemas().models) {
    const auto model = make_model(with_defaults(schema));
    const auto shape = schema.name == "mlp"       ? std::vector<std::int64_t>{2, 784}
                       : schema.name == "convnet" ? std::vector<std::int64_t>{2, 1, 28, 28}
                                                  : std::vector<std::int64_t>{2, 3, 64, 64};
    model->train();
    const auto input = at::randn(shape);
    torch::manual_seed(3);
    const auto untouched = at::rand({1});
    torch::manual_seed(3);
    (void)model->forward(input);
    const bool draws_none = torch::equal(at::rand({1}), untouched);
    EXPECT_EQ(draws_none, schema.dropout == ComponentSchema::Dropout::none) << schema.name;
  }
}

TEST(Models, SameSeedSameParameters) {
  for (const auto& component : {kMlp, kConvNet, resnet("resnet18", 10, "cifar", 1)}) {
    torch::manual_seed(11);
    const auto first = model_state(*make_model(component));
    torch::manual_seed(11);
    EXPECT_TRUE(same_tensors(first, model_state(*make_model(component)))) << component.name;
  }
}

TEST(MemoryFormat, LeavesValuesAndNames) {
  torch::manual_seed(1);
  const auto plain = make_model(kConvNet);
  torch::manual_seed(1);
  const auto model = make_model(kConvNet);
  to_channels_last(*model);
  EXPECT_TRUE(same_tensors(model_state(*model), model_state(*plain)));
  const auto parameters = model->named_parameters();
  EXPECT_EQ(parameters["conv2.weight"].strides(), (std::vector<std::int64_t>{288, 1, 96, 32}));
  EXPECT_TRUE(parameters["conv2.weight"].requires_grad());
  EXPECT_EQ(parameters["conv1.weight"].strides(), (std::vector<std::int64_t>{9, 1, 3, 1}));
  EXPECT_TRUE(parameters["fc1.weight"].is_contiguous());
}

TEST(MemoryFormat, RefusesAModelThatHasNoChannels) {
  EXPECT_THROW(to_channels_last(*make_model(kMlp)), InvalidConfiguration);
}

TEST(ModelState, RefusesWhatDoesNotFit) {
  const auto model = make_model(kMlp);
  NamedTensors state;
  for (const auto& [name, tensor] : model_state(*model)) state.emplace_back(name, tensor + 1);
  PlainStrategy(model).load_model_state(state);
  EXPECT_TRUE(same_tensors(model_state(*model), state));

  auto renamed = state;
  renamed[0].first = "layers.9.weight";
  EXPECT_THROW(PlainStrategy(model).load_model_state(renamed), std::invalid_argument);
  auto reshaped = state;
  reshaped[0].second = at::zeros({5, 7});
  EXPECT_THROW(PlainStrategy(model).load_model_state(reshaped), std::invalid_argument);
  state.pop_back();
  EXPECT_THROW(PlainStrategy(model).load_model_state(state), std::invalid_argument);
}

}  // namespace
}  // namespace ddp::trainer
