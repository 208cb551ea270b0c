#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <array>

#include "ddp/trainer/invalid_configuration.hpp"
#include "trainer/optim/kernels/implementation.hpp"
#include "trainer/optim/optimizer.hpp"

// Which implementations give the bytes of the loop, on numbers of every kind and tensors of every length.
namespace ddp::trainer {
namespace {

TEST(Implementation, SimdIsOfTheCpuAlone) {
  EXPECT_EQ(resolve_implementation("simd", at::kCPU), Implementation::simd);
  EXPECT_THROW((void)resolve_implementation("simd", at::kCUDA), InvalidConfiguration);
}

Component sgd(double momentum, double dampening, double weight_decay, bool nesterov) {
  return {"sgd",
          {{"momentum", momentum},
           {"dampening", dampening},
           {"weight_decay", weight_decay},
           {"decay", "all"},
           {"nesterov", nesterov}}};
}

Component adam(const char* name, double beta1, double beta2, double eps, double weight_decay) {
  return {
      name,
      {{"beta1", beta1}, {"beta2", beta2}, {"eps", eps}, {"weight_decay", weight_decay}, {"decay", "all"}}};
}

const std::vector<Component> kComponents = {
    sgd(0, 0, 0, false),
    sgd(0, 0, 0.01, false),
    sgd(0.9, 0, 0, false),
    sgd(0.9, 0.3, 0.01, false),
    sgd(0.9, 0, 5e-4, true),
    sgd(0.9, 0, 0, true),
    adam("adam", 0.9, 0.999, 1e-8, 0),
    adam("adam", 0.8, 0.99, 1e-6, 0.01),
    adam("adam", 0.5, 0.9, 1e-8, 0),  // from here on lerp counts from its other end
    adam("adam", 0.3, 0.5, 0, 0.1),
    adam("adamw", 0.9, 0.999, 1e-8, 0.01),
    adam("adamw", 0.2, 0.95, 1e-8, 0.1),
};

enum class Kind { normal, any_bits, denormal };

torch::Tensor make_numbers(Kind kind, std::int64_t count) {
  constexpr std::int64_t kSign = std::int64_t{1} << 31;
  switch (kind) {
    case Kind::any_bits:
      return at::randint(-kSign, kSign, {count}, at::kLong).to(at::kInt).view(at::kFloat);
    case Kind::denormal: {
      const auto signs = at::randint(0, 2, {count}, at::kLong) * kSign;
      return (at::randint(0, 1 << 23, {count}, at::kLong) - signs).to(at::kInt).view(at::kFloat);
    }
    case Kind::normal:
      break;
  }
  return at::randn({count}) * at::pow(10.0, at::randint(-8, 4, {count}, at::kFloat));
}

/// Some of a stock of numbers.
torch::Tensor numbers(Kind kind, std::int64_t count) {
  constexpr std::int64_t kStock = 300'007;
  static const std::array stocks = {make_numbers(Kind::normal, kStock), make_numbers(Kind::any_bits, kStock),
                                    make_numbers(Kind::denormal, kStock)};
  const auto start = at::randint(0, kStock - count, {1}, at::kLong).item<std::int64_t>();
  return stocks.at(static_cast<std::size_t>(kind)).narrow(0, start, count).clone();
}

/// Every tail of a vector, and tensors that are shared among threads.
NamedTensors tensors_of_all_lengths(Kind kind) {
  NamedTensors tensors;
  for (std::int64_t count = 1; count < 70; ++count) {
    tensors.emplace_back(std::to_string(count), numbers(kind, count));
  }
  for (const std::int64_t count : {40'001, 70'000}) {
    tensors.emplace_back(std::to_string(count), numbers(kind, count));
  }
  return tensors;
}

NamedTensors copy(const NamedTensors& tensors) {
  NamedTensors copies;
  for (const auto& [name, tensor] : tensors) copies.emplace_back(name, tensor.clone());
  return copies;
}

/// NaNs count as equal: which one of two comes out of an addition is nobody's choice.
bool same_numbers(const torch::Tensor& a, const torch::Tensor& b) {
  const auto same = a.view(at::kInt).eq(b.view(at::kInt)).logical_or(a.isnan().logical_and(b.isnan()));
  return same.all().item<bool>();
}

std::string first_difference(const NamedTensors& a, const NamedTensors& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!same_numbers(a[i].second, b[i].second)) return a[i].first;
  }
  return {};
}

/// Two of the same training, side by side.
struct Pair {
  NamedTensors left_parameters;
  NamedTensors right_parameters;
  std::unique_ptr<Optimizer> left;
  std::unique_ptr<Optimizer> right;

  Pair(Component component, const char* implementation, const NamedTensors& start)
      : left_parameters(start), right_parameters(copy(start)) {
    component.options["implementation"] = std::string("loop");
    left = make_optimizer(component, left_parameters);
    component.options["implementation"] = std::string(implementation);
    right = make_optimizer(component, right_parameters);
  }

  void step(Kind kind, double learning_rate) {
    for (std::size_t i = 0; i < left_parameters.size(); ++i) {
      const auto gradient = numbers(kind, left_parameters[i].second.numel());
      left_parameters[i].second.mutable_grad() = gradient;
      right_parameters[i].second.mutable_grad() = gradient.clone();
    }
    left->step(learning_rate);
    right->step(learning_rate);
  }

  /// The name of a parameter or of a part of the state; empty: there is none.
  [[nodiscard]] std::string difference() const {
    const auto parameter = first_difference(left_parameters, right_parameters);
    return parameter.empty() ? first_difference(left->state(), right->state()) : parameter;
  }
};

/// Implementation, threads of ATen.
class ExactImplementation : public testing::TestWithParam<std::tuple<const char*, int>> {
 protected:
  ExactImplementation() { at::set_num_threads(std::get<1>(GetParam())); }
  ~ExactImplementation() override { at::set_num_threads(threads_); }

 private:
  int threads_ = at::get_num_threads();
};

TEST_P(ExactImplementation, GivesTheBytesOfTheLoop) {
  at::manual_seed(11);
  for (const Kind kind : {Kind::normal, Kind::any_bits, Kind::denormal}) {
    for (std::size_t i = 0; i < kComponents.size(); ++i) {
      Pair pair(kComponents[i], std::get<0>(GetParam()), tensors_of_all_lengths(kind));
      for (int step = 0; step < 4; ++step) pair.step(kind, 0.01 / (step + 1));
      EXPECT_EQ(pair.difference(), "") << "kind " << static_cast<int>(kind) << ", component " << i;
    }
  }
}

TEST_P(ExactImplementation, StaysWithTheLoopForManySteps) {
  at::manual_seed(12);
  for (std::size_t i = 0; i < kComponents.size(); ++i) {
    Pair pair(kComponents[i], std::get<0>(GetParam()), {{"a", at::randn({5'003})}, {"b", at::randn({77})}});
    for (int step = 0; step < 120; ++step) pair.step(Kind::normal, 0.01);
    EXPECT_EQ(pair.difference(), "") << "component " << i;
  }
}

TEST_P(ExactImplementation, TakesGradientsOfAnotherLayoutAndType) {
  at::manual_seed(13);
  for (const Component& component : kComponents) {
    Pair pair(component, std::get<0>(GetParam()),
              {{"a", at::randn({6, 5})}, {"b", at::randn({9}).to(at::kDouble)}});
    for (int step = 0; step < 3; ++step) {
      const auto transposed = at::randn({5, 6}).t();
      for (auto* parameters : {&pair.left_parameters, &pair.right_parameters}) {
        (*parameters)[0].second.mutable_grad() = transposed;
        (*parameters)[1].second.mutable_grad() = at::arange(9, at::kDouble);
      }
      pair.left->step(0.1);
      pair.right->step(0.1);
    }
    EXPECT_TRUE(pair.left_parameters[0].second.equal(pair.right_parameters[0].second)) << component.name;
    EXPECT_TRUE(pair.left_parameters[1].second.equal(pair.right_parameters[1].second)) << component.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Cpu, ExactImplementation,
                         testing::Combine(testing::Values("foreach", "simd", "auto"),
                                          testing::Values(1, 2, 4)),
                         [](const auto& instance) {
                           return std::string(std::get<0>(instance.param)) + "_" +
                                  std::to_string(std::get<1>(instance.param));
                         });

// The reason why `auto` does not take it.
TEST(FusedImplementation, OfAdamRoundsDifferently) {
  at::manual_seed(14);
  Pair pair(kComponents[6], "fused", {{"a", at::randn({70'000})}});
  for (int step = 0; step < 10; ++step) pair.step(Kind::normal, 1.0);
  EXPECT_NE(pair.difference(), "");
  EXPECT_TRUE(at::allclose(pair.left_parameters[0].second, pair.right_parameters[0].second, 1e-4, 1e-4));
}

}  // namespace
}  // namespace ddp::trainer
