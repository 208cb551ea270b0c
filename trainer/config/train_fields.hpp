#pragma once

#include <set>
#include <string>

#include "jobenv/config/config_node.hpp"
#include "jobenv/config/fields.hpp"
#include "trainer/config/component_schema.hpp"
#include "trainer/config/rendezvous.hpp"
#include "trainer/config/train_config.hpp"

namespace ddp::trainer {

inline constexpr Key kTrainKey{"train", "the bundled trainer; in place of command"};
inline constexpr Key kRendezvousKey{"rendezvous", "how the ranks find and talk to each other"};

/// Every key of `train:`, for reading, rendering and documenting. `schemas` are those of the program that is
/// to train.
void describe_train(Fields& fields, TrainConfig& config, const ComponentSchemas& schemas);

/// The keys of a section that it has whatever its `name` says.
struct SectionKeys {
  std::set<std::string> model;
  std::set<std::string> data;
  std::set<std::string> optimizer;
  std::set<std::string> schedule;
  std::set<std::string> loss;
};
[[nodiscard]] SectionKeys section_keys();

/// What no single key can tell: exactly one of epochs and max_steps, batch sizes that divide, a model that
/// fits its data. Adds to `errors`, and completes `config` from `rendezvous` and the global batch. `root` is
/// the whole file.
void finish_train_config(TrainConfig& config, const Rendezvous& rendezvous, const ComponentSchemas& schemas,
                         const ConfigNode& root, int world_size, Errors& errors);

}  // namespace ddp::trainer
