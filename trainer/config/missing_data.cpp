#include "trainer/config/missing_data.hpp"

namespace ddp::trainer {
namespace {

SplitsRead splits_read(const TrainConfig& config) {
  if (config.mode == Mode::evaluate) return SplitsRead::test;
  return config.evaluate.every_epochs > 0 ? SplitsRead::both : SplitsRead::train;
}

}  // namespace

std::optional<MissingData> find_missing_data(const TrainConfig& config, const ComponentSchemas& schemas) {
  const auto* schema = find_schema(schemas.datasets, config.data.source.name);
  if (schema == nullptr || schema->missing == nullptr) return std::nullopt;
  return schema->missing(config.data.source, splits_read(config));
}

}  // namespace ddp::trainer
