#include "trainer/config/missing_data.hpp"

namespace ddp::trainer {

std::optional<MissingData> find_missing_data(const TrainConfig& config) {
  const auto* schema = find_schema(dataset_schemas(), config.data.source.name);
  if (schema == nullptr || schema->missing == nullptr) return std::nullopt;
  const bool evaluates = config.mode == Mode::evaluate || config.evaluate.every_epochs > 0;
  return schema->missing(config.data.source, evaluates ? SplitsRead::train_and_test : SplitsRead::train);
}

}  // namespace ddp::trainer
