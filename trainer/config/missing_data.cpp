#include "trainer/config/missing_data.hpp"

#include <filesystem>

#include "trainer/checkpoint/format/weights_place.hpp"

namespace ddp::trainer {
namespace {

SplitsRead splits_read(const TrainConfig& config) {
  if (config.mode == Mode::evaluate) return SplitsRead::test;
  return config.evaluate.every_epochs > 0 ? SplitsRead::both : SplitsRead::train;
}

std::optional<MissingData> find_missing_dataset(const TrainConfig& config,
                                                std::span<const ComponentSchema> schemas) {
  const auto* schema = find_schema(schemas, config.data.source.name);
  if (schema == nullptr || schema->missing == nullptr) return std::nullopt;
  auto missing = schema->missing(config.data.source, splits_read(config));
  if (missing) missing->option = "train.data." + missing->option;
  return missing;
}

std::optional<MissingData> find_missing_weights(const TrainConfig& config) {
  if (!config.initial_weights) return std::nullopt;
  const std::string option = "train.model.weights";
  if (!std::filesystem::exists(*config.initial_weights))
    return MissingData{option, "there is no file or folder '" + *config.initial_weights + "'",
                       "save the weights of a model with safetensors.torch.save_file, or remove the key"};
  const std::string fault = describe_missing_weights(*config.initial_weights);
  if (fault.empty()) return std::nullopt;
  return MissingData{
      option, fault,
      "give a safetensors file, a folder with safetensors files, or a checkpoint or a run folder"};
}

}  // namespace

std::optional<MissingData> find_missing_data(const TrainConfig& config, const ComponentSchemas& schemas) {
  auto missing = find_missing_weights(config);
  return missing ? missing : find_missing_dataset(config, schemas.datasets);
}

}  // namespace ddp::trainer
