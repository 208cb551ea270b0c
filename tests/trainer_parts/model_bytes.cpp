// Writes what a model of ddptrain is and does to a safetensors file, for models_test.py, which does the same
// in Python: initial/NAME, the parameters and buffers after make_model; eval, the logits of a batch; train,
// those in training mode; gradient/NAME, what backward leaves; after/NAME, the buffers then.
//
//   model_bytes FILE MODEL [OPTION=VALUE]...
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/utils.h>

#include <iostream>

#include "tests/trainer_parts/parts.hpp"
#include "trainer/checkpoint/safetensors.hpp"
#include "trainer/config/component_schema.hpp"
#include "trainer/models/model_state.hpp"
#include "trainer/models/models.hpp"

namespace ddp::trainer::model_bytes {
namespace {

struct Parse {
  const std::string& text;
  OptionValue operator()(bool) const { return text == "true"; }
  OptionValue operator()(std::int64_t) const { return static_cast<std::int64_t>(std::stoll(text)); }
  template <class Other>
  OptionValue operator()(const Other&) const {
    return text;
  }
};

Component component_of(const std::string& name, const Words& words) {
  Component component{name, {}};
  for (const OptionSchema& option : find_schema(bundled_schemas().models, name)->options)
    component.options.emplace(option.key, option.default_value);
  for (const auto& word : words) {
    const auto equals = word.find('=');
    OptionValue& value = component.options.at(word.substr(0, equals));
    value = std::visit(Parse{word.substr(equals + 1)}, value);
  }
  return component;
}

void add_copies(NamedTensors& to, const std::string& prefix, const NamedTensors& from) {
  for (const auto& [name, tensor] : from) to.emplace_back(prefix + name, tensor.detach().clone());
}

void write(const std::string& file, const Component& component) {
  at::set_num_threads(1);
  torch::manual_seed(7);
  const auto model = make_model(component);
  NamedTensors found;
  add_copies(found, "initial/", model_state(*model));
  found.emplace_back("next_draw", at::rand({4}));

  torch::manual_seed(8);
  const torch::Tensor input = at::randn({2, component.get<std::int64_t>("in_channels"), 32, 24});
  model->eval();
  found.emplace_back("eval", model->forward(input).detach());
  model->train();
  const torch::Tensor logits = model->forward(input);
  found.emplace_back("train", logits.detach());
  at::cross_entropy_loss(logits, at::arange(2, at::kLong)).backward();
  for (const auto& parameter : model->named_parameters())
    found.emplace_back("gradient/" + parameter.key(), parameter.value().grad());
  add_copies(found, "after/", model_state(*model));
  save_safetensors(file, found);
}

}  // namespace

int run(const Words& words) {
  if (words.size() < 2) throw std::invalid_argument("model_bytes FILE MODEL [OPTION=VALUE]...");
  write(words[0], component_of(words[1], {words.begin() + 2, words.end()}));
  return 0;
}

}  // namespace ddp::trainer::model_bytes
