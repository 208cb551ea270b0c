#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/trainer/same_tensors.hpp"
#include "trainer/optim/optimizer.hpp"

namespace ddp::trainer {
namespace {

const Component kSgd{"sgd",
                     {{"momentum", 0.9},
                      {"dampening", 0.5},
                      {"weight_decay", 0.01},
                      {"decay", "all"},
                      {"nesterov", false},
                      {"implementation", "auto"}}};
const Component kAdam{"adam",
                      {{"beta1", 0.9},
                       {"beta2", 0.99},
                       {"eps", 1e-8},
                       {"weight_decay", 0.0},
                       {"decay", "all"},
                       {"implementation", "auto"}}};
constexpr double kRate = 0.1;

Component with(Component component, const std::string& key, OptionValue value) {
  component.options.at(key) = std::move(value);
  return component;
}

NamedTensors two_parameters() {
  at::manual_seed(3);
  return {{"a", at::randn({4, 3}).set_requires_grad(true)}, {"b", at::randn({3}).set_requires_grad(true)}};
}

void give_gradients(NamedTensors& parameters, int step) {
  for (auto& [name, tensor] : parameters) tensor.mutable_grad() = at::sin(tensor.detach() * (step + 1));
}

double number(const torch::Tensor& tensor) {
  return tensor.item<double>();
}

struct OneNumber {
  explicit OneNumber(double value) : parameters{{"x", at::full({}, value).set_requires_grad(true)}} {}
  double step(Optimizer& optimizer, double gradient) {
    parameters[0].second.mutable_grad() = at::full({}, gradient);
    optimizer.step(kRate);
    return number(parameters[0].second);
  }
  NamedTensors parameters;
};

TEST(Sgd, FollowsItsFormula) {
  OneNumber x(2.0);
  const auto optimizer = make_optimizer(kSgd, x.parameters);
  double value = 2.0;
  double average = 0;
  for (int step = 0; step < 5; ++step) {
    const double direction = 0.3 * step + 0.01 * value;
    average = step == 0 ? direction : 0.9 * average + 0.5 * direction;  // the first is not dampened
    value -= 0.1 * average;
    EXPECT_NEAR(x.step(*optimizer, 0.3 * step), value, 1e-5) << step;
  }
}

TEST(Sgd, NesterovLooksAhead) {
  OneNumber x(2.0);
  auto component = with(with(kSgd, "nesterov", true), "weight_decay", 0.0);
  const auto optimizer = make_optimizer(with(component, "dampening", 0.0), x.parameters);
  EXPECT_NEAR(x.step(*optimizer, 1.0), 2.0 - 0.1 * (1.0 + 0.9 * 1.0), 1e-6);
}

TEST(Adam, FollowsItsFormula) {
  OneNumber x(2.0);
  const auto optimizer = make_optimizer(kAdam, x.parameters);
  double value = 2.0;
  double first = 0;
  double second = 0;
  for (int step = 1; step <= 5; ++step) {
    const double gradient = 0.3 * step;
    first = 0.9 * first + 0.1 * gradient;
    second = 0.99 * second + 0.01 * gradient * gradient;
    value -=
        0.1 * (first / (1 - std::pow(0.9, step))) / (std::sqrt(second / (1 - std::pow(0.99, step))) + 1e-8);
    EXPECT_NEAR(x.step(*optimizer, gradient), value, 1e-5) << step;
  }
}

TEST(AdamW, DecaysTheParameterAlone) {
  OneNumber x(2.0);
  auto component = with(kAdam, "weight_decay", 0.5);
  component.name = "adamw";
  const auto optimizer = make_optimizer(component, x.parameters);
  // The first update of Adam is of the size of the learning rate, whatever the gradient.
  EXPECT_NEAR(x.step(*optimizer, 30.0), 2.0 * (1 - kRate * 0.5) - kRate, 1e-6);
}

TEST(Optimizers, TheLearningRateIsThatOfTheStep) {
  OneNumber x(2.0);
  const auto optimizer = make_optimizer(with(with(kSgd, "momentum", 0.0), "weight_decay", 0.0), x.parameters);
  x.parameters[0].second.mutable_grad() = at::ones({});
  optimizer->step(0.5);
  optimizer->step(0.25);
  EXPECT_EQ(number(x.parameters[0].second), 1.25);
}

/// An optimizer's name and the implementation of its arithmetic.
class AnyOptimizer : public testing::TestWithParam<std::tuple<std::string, const char*>> {
 protected:
  [[nodiscard]] static Component component() {
    const auto& [name, implementation] = GetParam();
    Component component = with(name == kSgd.name ? kSgd : kAdam, "implementation", implementation);
    component.name = name;
    return component;
  }
};

TEST_P(AnyOptimizer, LeavesParametersWithoutGradientAlone) {
  auto parameters = two_parameters();
  const auto before = parameters[1].second.detach().clone();
  const auto optimizer = make_optimizer(component(), parameters);
  parameters[0].second.mutable_grad() = at::ones({4, 3});
  optimizer->step(kRate);
  EXPECT_TRUE(same_tensor(parameters[1].second.detach(), before));
  for (const auto& [name, tensor] : optimizer->state()) EXPECT_EQ(name.rfind("a.", 0), 0u) << name;
}

/// The parameters of two_parameters() after some steps: a matrix, and a bias.
NamedTensors trained(const Component& component) {
  auto parameters = two_parameters();
  const auto optimizer = make_optimizer(component, parameters);
  for (int step = 0; step < 4; ++step) {
    give_gradients(parameters, step);
    optimizer->step(kRate);
  }
  return parameters;
}

TEST_P(AnyOptimizer, DecaysMatricesAlone) {
  const auto all = trained(with(component(), "weight_decay", 0.1));
  const auto none = trained(with(component(), "weight_decay", 0.0));
  const auto matrices = trained(with(with(component(), "weight_decay", 0.1), "decay", "matrices"));
  EXPECT_TRUE(same_tensor(matrices[0].second, all[0].second));
  EXPECT_FALSE(same_tensor(matrices[0].second, none[0].second));
  EXPECT_TRUE(same_tensor(matrices[1].second, none[1].second));
  EXPECT_FALSE(same_tensor(matrices[1].second, all[1].second));
}

TEST_P(AnyOptimizer, ZeroGradTakesGradientsAway) {
  auto parameters = two_parameters();
  const auto optimizer = make_optimizer(component(), parameters);
  give_gradients(parameters, 0);
  optimizer->zero_grad();
  EXPECT_FALSE(parameters[0].second.grad().defined());
}

TEST_P(AnyOptimizer, GoesOnFromItsStateAsIfNothingHadHappened) {
  auto straight = two_parameters();
  auto resumed = two_parameters();
  const auto first = make_optimizer(component(), straight);
  auto second = make_optimizer(component(), resumed);
  for (int step = 0; step < 6; ++step) {
    if (step == 3) {
      NamedTensors saved;
      for (const auto& [name, tensor] : second->state()) saved.emplace_back(name, tensor.clone());
      second = make_optimizer(component(), resumed);
      second->load_state(saved);
    }
    give_gradients(straight, step);
    give_gradients(resumed, step);
    first->step(kRate);
    second->step(kRate);
  }
  for (std::size_t i = 0; i < straight.size(); ++i) {
    EXPECT_TRUE(same_tensor(straight[i].second.detach(), resumed[i].second.detach()));
  }
}

TEST_P(AnyOptimizer, RefusesStateThatIsNotItsOwn) {
  const auto optimizer = make_optimizer(component(), two_parameters());
  EXPECT_THROW(optimizer->load_state({{"c.momentum_buffer", at::ones({3})}}), std::invalid_argument);
  EXPECT_THROW(optimizer->load_state({{"a.nothing", at::ones({4, 3})}}), std::invalid_argument);
  EXPECT_THROW(optimizer->load_state({{"a.exp_avg", at::ones({5})}}), std::invalid_argument);
  EXPECT_THROW(optimizer->load_state({{"momentum_buffer", at::ones({3})}}), std::invalid_argument);
}

TEST_P(AnyOptimizer, KeepsTheLayoutOfParametersInItsState) {
  NamedTensors parameters = {
      {"a", at::randn({4, 3, 2, 2}).contiguous(at::MemoryFormat::ChannelsLast).set_requires_grad(true)}};
  const auto optimizer = make_optimizer(component(), parameters);
  give_gradients(parameters, 0);
  optimizer->step(kRate);
  NamedTensors saved;
  for (const auto& [name, tensor] : optimizer->state()) saved.emplace_back(name, tensor.contiguous());
  optimizer->load_state(saved);
  for (const auto& [name, tensor] : optimizer->state()) {
    EXPECT_TRUE(tensor.dim() == 0 || tensor.strides() == parameters[0].second.strides()) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Optimizers, AnyOptimizer,
                         testing::Combine(testing::Values("sgd", "adam", "adamw"),
                                          testing::Values("auto", "loop", "foreach", "fused", "simd")),
                         [](const auto& instance) {
                           return std::get<0>(instance.param) + "_" + std::get<1>(instance.param);
                         });

}  // namespace
}  // namespace ddp::trainer
