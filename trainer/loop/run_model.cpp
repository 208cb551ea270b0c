#include "trainer/loop/run_model.hpp"

#include <torch/utils.h>

#include <utility>

#include "trainer/loss/loss.hpp"
#include "trainer/models/memory_format.hpp"
#include "trainer/models/models.hpp"

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
                             .device = job_.device,
                             .ranks_per_node = job_.environment.local_world_size});
  if (config_.mode == Mode::train) make_updates();
}

void RunModel::make_updates() {
  optimizer_ = strategy_->make_optimizer(
      [this](NamedTensors parameters) { return make_optimizer(config_.optimizer, std::move(parameters)); });
  train_step_.emplace(*strategy_, *optimizer_, job_.group, job_.device,
                      TrainStepOptions{config_.precision, config_.clip_grad_norm, make_loss(config_.loss)});
}

std::shared_ptr<Model> RunModel::new_model() const {
  auto model = make_model(config_.model, job_.own.models);
  if (config_.memory_format == MemoryFormat::channels_last) to_channels_last(*model);
  return model;
}

}  // namespace ddp::trainer
