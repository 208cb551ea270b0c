#include "trainer/loop/run_model.hpp"

#include <torch/utils.h>

#include <utility>

#include "trainer/loss/loss.hpp"
#include "trainer/models/memory_format.hpp"
#include "trainer/models/models.hpp"
#include "trainer/optim/sharded_optimizer.hpp"

namespace ddp::trainer {

// The order is that of a Python script, because each step draws from the same generator.
void RunModel::build() {
  torch::manual_seed(config_.seed);
  model_ = new_model();
  model_->to(job_.device);
  if (config_.sync_batch_norm) sync_batch_norm_.emplace(*model_, job_.group);
  strategy_ = make_strategy({.config = config_,
                             .group = job_.group,
                             .model = model_,
                             .make_replica = [this] { return new_model(); },
                             .device = job_.device});
  if (config_.mode == Mode::train) make_updates();
}

void RunModel::make_updates() {
  NamedTensors parameters;
  for (const auto& parameter : model_->named_parameters())
    parameters.emplace_back(parameter.key(), parameter.value());
  const auto make = [this](NamedTensors of_these) {
    return make_optimizer(config_.optimizer, std::move(of_these));
  };
  optimizer_ = config_.ddp.shard_optimizer ? make_sharded_optimizer(std::move(parameters), make, job_.group)
                                           : make(std::move(parameters));
  train_step_.emplace(*strategy_, *optimizer_, job_.group, job_.device,
                      TrainStepOptions{config_.precision, config_.clip_grad_norm, make_loss(config_.loss)});
}

std::shared_ptr<Model> RunModel::new_model() const {
  auto model = make_model(config_.model, job_.own.models);
  if (config_.memory_format == MemoryFormat::channels_last) to_channels_last(*model);
  return model;
}

}  // namespace ddp::trainer
