#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "ddp/trainer/component.hpp"
#include "ddp/trainer/dataset.hpp"
#include "ddp/trainer/model.hpp"

namespace ddp::trainer {

/// A model that `train.model.name` can name.
struct ModelKind {
  ComponentSchema schema;
  /// Makes one on the CPU, its parameters drawn from torch's default generator. The component has every
  /// option of the schema. Throws InvalidConfiguration for options that do not go together.
  std::function<std::shared_ptr<Model>(const Component& model)> make;
};

/// A dataset that `train.data.name` can name.
struct DatasetKind {
  ComponentSchema schema;
  /// Makes the same one on every rank for the same arguments. `seed` is the run's seed: what is drawn at
  /// random depends on it alone, and torch's default generator is left alone. Throws InvalidConfiguration for
  /// options that do not fit the data, std::runtime_error when the data cannot be read.
  std::function<std::unique_ptr<Dataset>(const Component& source, Split split, std::uint64_t seed)> make;
};

/// What a program adds to the models and datasets of ddptrain.
struct Components {
  std::vector<ModelKind> models;
  std::vector<DatasetKind> datasets;
};

}  // namespace ddp::trainer
