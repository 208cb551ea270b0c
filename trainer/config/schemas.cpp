#include "trainer/config/component_schema.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace ddp::trainer {

// One function a component, in a file beside its factory.
ComponentSchema mlp_schema();
ComponentSchema convnet_schema();
ComponentSchema resnet18_schema();
ComponentSchema resnet34_schema();
ComponentSchema resnet50_schema();
ComponentSchema cifar10_schema();
ComponentSchema fashion_mnist_schema();
ComponentSchema image_folder_schema();
ComponentSchema mnist_schema();
ComponentSchema synthetic_schema();
ComponentSchema tensor_file_schema();
ComponentSchema sgd_schema();
ComponentSchema adam_schema();
ComponentSchema adamw_schema();
ComponentSchema constant_schema();
ComponentSchema step_schema();
ComponentSchema multistep_schema();
ComponentSchema cosine_schema();
ComponentSchema linear_schema();
ComponentSchema cross_entropy_schema();
ComponentSchema ddp_schema();
ComponentSchema parameter_server_schema();
ComponentSchema data_parallel_schema();
ComponentSchema fsdp_schema();
ComponentSchema hsdp_schema();

const ComponentSchemas& bundled_schemas() {
  static const ComponentSchemas schemas{
      .models = {mlp_schema(), convnet_schema(), resnet18_schema(), resnet34_schema(), resnet50_schema()},
      .datasets = {fashion_mnist_schema(), mnist_schema(), cifar10_schema(), image_folder_schema(),
                   tensor_file_schema(), synthetic_schema()},
      .optimizers = {sgd_schema(), adam_schema(), adamw_schema()},
      .schedules = {constant_schema(), step_schema(), multistep_schema(), cosine_schema(), linear_schema()},
      .losses = {cross_entropy_schema()},
      .strategies = {ddp_schema(), parameter_server_schema(), data_parallel_schema(), fsdp_schema(),
                     hsdp_schema()},
  };
  return schemas;
}

std::optional<std::string> find_name_used_twice(const ComponentSchemas& schemas) {
  for (const ComponentTable& table : kComponentTables) {
    std::set<std::string> names;
    for (const ComponentSchema& schema : schemas.*table.schemas) {
      if (!names.insert(schema.name).second) return schema.name;
    }
  }
  return std::nullopt;
}

const ComponentSchema* find_schema(std::span<const ComponentSchema> schemas, std::string_view name) {
  const auto found = std::ranges::find(schemas, name, &ComponentSchema::name);
  return found == schemas.end() ? nullptr : &*found;
}

Component with_defaults(const ComponentSchema& schema) {
  Component component{schema.name, {}};
  for (const OptionSchema& option : schema.options)
    component.options.emplace(option.key, option.default_value);
  return component;
}

Component with_defaults(std::span<const ComponentSchema> schemas, std::string_view name) {
  const ComponentSchema* schema = find_schema(schemas, name);
  if (!schema) throw std::logic_error("no component is named '" + std::string(name) + "'");
  return with_defaults(*schema);
}

}  // namespace ddp::trainer
