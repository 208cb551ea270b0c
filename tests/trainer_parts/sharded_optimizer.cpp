// One rank of a test: an optimizer whose state is divided among the ranks, beside one that has all of it.
//
//   sharded_optimizer NAME IMPLEMENTATION...
//
// Exits 0 when both give the same bytes in every step, keep the same state in the end, and go on with each
// other's; else it says on stderr what differs. Prints for each implementation its name, the bytes of state
// that this rank keeps, and those of the whole.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <cstring>
#include <functional>
#include <iostream>

#include "tests/trainer_parts/parts.hpp"
#include "trainer/config/component_schema.hpp"
#include "trainer/loop/state/shared_state.hpp"
#include "trainer/optim/sharded_optimizer.hpp"

namespace ddp::trainer::sharded_optimizer {
namespace {

constexpr int kSteps = 12;
constexpr int kLateFrom = 5;  // the step that first has a gradient for "late"
constexpr double kLearningRate = 0.01;

// Of several types, strides and sizes, one frozen, one that is used late and one that has two names.
NamedTensors make_parameters() {
  at::manual_seed(5);
  NamedTensors parameters = {
      {"wide.weight", at::randn({301, 127})},
      {"wide.bias", at::randn({301})},
      {"conv", at::randn({16, 8, 3, 3}).contiguous(at::MemoryFormat::ChannelsLast)},
      {"double", at::randn({65}, at::kDouble)},
      {"late", at::randn({33, 9})},
      {"frozen", at::randn({1000})},
      {"one", at::randn({1})},
  };
  for (auto& [name, tensor] : parameters) tensor.set_requires_grad(name != "frozen");
  parameters.emplace_back("wide.again", parameters[1].second);
  return parameters;
}

void give_gradients(NamedTensors& parameters, int step) {
  for (auto& [name, tensor] : parameters) {
    if (!tensor.requires_grad() || (name == "late" && step < kLateFrom)) continue;
    tensor.mutable_grad() = at::sin(tensor.detach() * (step + 1));
  }
}

bool same(const torch::Tensor& a, const torch::Tensor& b) {
  const auto left = a.detach().contiguous();
  const auto right = b.detach().contiguous();
  return a.sizes() == b.sizes() && a.scalar_type() == b.scalar_type() &&
         std::memcmp(left.const_data_ptr(), right.const_data_ptr(), left.nbytes()) == 0;
}

int count_differences(const NamedTensors& sharded, const NamedTensors& whole, const std::string& when) {
  if (sharded.size() != whole.size()) return std::cerr << when << ": " << sharded.size() << " tensors\n", 1;
  int different = 0;
  for (std::size_t i = 0; i < sharded.size(); ++i) {
    if (sharded[i].first == whole[i].first && same(sharded[i].second, whole[i].second)) continue;
    ++different;
    std::cerr << when << ": " << sharded[i].first << " differs from " << whole[i].first << '\n';
  }
  return different;
}

std::size_t bytes_of(const NamedTensors& tensors) {
  std::size_t bytes = 0;
  for (const auto& [name, tensor] : tensors) bytes += tensor.nbytes();
  return bytes;
}

struct Twin {
  NamedTensors parameters = make_parameters();
  std::unique_ptr<Optimizer> optimizer;

  void step(int step) {
    optimizer->zero_grad();
    give_gradients(parameters, step);
    optimizer->step(kLearningRate);
  }
};

NamedTensors copies_of(const NamedTensors& tensors) {
  NamedTensors copies;
  for (const auto& [name, tensor] : tensors) copies.emplace_back(name, tensor.detach().clone());
  return copies;
}

void take(const NamedTensors& values, NamedTensors& parameters) {
  const at::NoGradGuard no_grad;
  for (std::size_t i = 0; i < values.size(); ++i) parameters[i].second.copy_(values[i].second);
}

/// The state that rank 0 has gathered, on all ranks, as when a checkpoint is loaded.
NamedTensors on_all_ranks(NamedTensors gathered, ProcessGroup& group) {
  TrainingState state;
  state.optimizer = std::move(gathered);
  return share_state(std::move(state), group)->optimizer;
}

Component component_of(const std::string& name, const std::string& implementation) {
  const auto schemas = bundled_schemas();
  Component component{name, {}};
  for (const auto& option : find_schema(schemas.optimizers, name)->options)
    component.options[option.key] = option.default_value;
  component.options["implementation"] = implementation;
  component.options["weight_decay"] = 0.01;
  if (name == "sgd") component.options["momentum"] = 0.9;
  return component;
}

int check(const std::string& name, const std::string& implementation, ProcessGroup& group) {
  const Component component = component_of(name, implementation);
  const auto make = [&](NamedTensors parameters) { return make_optimizer(component, std::move(parameters)); };
  const auto make_twin = [&](bool sharded) {
    Twin twin;
    twin.optimizer = sharded ? make_sharded_optimizer(twin.parameters, make, group) : make(twin.parameters);
    return twin;
  };
  Twin sharded = make_twin(true);
  Twin whole = make_twin(false);
  int different = 0;
  for (int step = 0; step < kSteps; ++step) {
    sharded.step(step);
    whole.step(step);
    different += count_differences(sharded.parameters, whole.parameters, "step " + std::to_string(step));
  }
  const NamedTensors gathered = sharded.optimizer->gather_state();
  if (group.rank() == 0) different += count_differences(gathered, whole.optimizer->state(), "gathered");
  std::cout << implementation << ' ' << bytes_of(sharded.optimizer->state()) << ' '
            << bytes_of(whole.optimizer->state()) << std::endl;

  // Each goes on from the other's state.
  const NamedTensors state = on_all_ranks(copies_of(gathered), group);
  Twin resharded = make_twin(true);
  Twin rejoined = make_twin(false);
  for (Twin* twin : {&resharded, &rejoined}) {
    take(whole.parameters, twin->parameters);
    twin->optimizer->load_state(state);
  }
  for (int step = kSteps; step < 2 * kSteps; ++step) {
    for (Twin* twin : {&whole, &resharded, &rejoined}) twin->step(step);
    const std::string when = "resumed, step " + std::to_string(step);
    different += count_differences(resharded.parameters, whole.parameters, when);
    different += count_differences(rejoined.parameters, whole.parameters, when + ", joined");
  }
  if (different > 0) std::cerr << "with " << name << ", " << implementation << '\n';
  return different;
}

}  // namespace

int run(const Words& words) {
  if (words.size() < 2) throw std::invalid_argument("sharded_optimizer NAME IMPLEMENTATION...");
  ProcessGroup group = join_group(this_rank());
  at::set_num_threads(1);
  int different = 0;
  for (std::size_t i = 1; i < words.size(); ++i) different += check(words[0], words[i], group);
  group.barrier();
  return different == 0 ? 0 : 1;
}

}  // namespace ddp::trainer::sharded_optimizer
