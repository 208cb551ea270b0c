#include "cli/spec/component_keys.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include "cli/spec/spec_fields.hpp"

namespace ddp::cli {
namespace {

using trainer::ComponentSchema;
using trainer::ComponentSchemas;
using trainer::TrainConfig;

struct ComponentSection {
  std::string_view path;
  std::vector<ComponentSchema> ComponentSchemas::*schemas;
  void (*choose)(TrainConfig& train, const std::string& name);
};

const std::array kSections = {
    ComponentSection{"train.model", &ComponentSchemas::models,
                     [](TrainConfig& train, const std::string& name) { train.model.name = name; }},
    ComponentSection{"train.data", &ComponentSchemas::datasets,
                     [](TrainConfig& train, const std::string& name) { train.data.source.name = name; }},
    ComponentSection{"train.optimizer", &ComponentSchemas::optimizers,
                     [](TrainConfig& train, const std::string& name) { train.optimizer.name = name; }},
    ComponentSection{"train.schedule", &ComponentSchemas::schedules,
                     [](TrainConfig& train, const std::string& name) {
                       train.schedule = trainer::Component{name, {}};
                     }},
    ComponentSection{"train.loss", &ComponentSchemas::losses,
                     [](TrainConfig& train, const std::string& name) {
                       train.loss = trainer::Component{name, {}};
                     }},
};

KeyList list_keys(const TrainConfig& train) {
  const auto spec = std::make_unique<RunSpec>();  // on the stack, g++ 12 takes `train` for uninitialized
  spec->train = train;
  KeyList keys;
  describe_spec(keys, *spec);
  return keys;
}

ComponentKeys keys_of(const ComponentSection& section, const ComponentSchema& schema) {
  TrainConfig train;
  section.choose(train, schema.name);
  auto rows = list_keys(train).take_rows();
  std::erase_if(rows, [&](const KeyRow& row) {
    return std::ranges::none_of(schema.options, [&](const trainer::OptionSchema& option) {
      return row.path == std::string(section.path) + "." + option.key;
    });
  });
  return {std::string(section.path), schema.name, schema.doc, std::move(rows)};
}

bool is_wanted(const ComponentKeys& component, const ChosenComponents& chosen) {
  const auto name = chosen.find(component.section);
  return name == chosen.end() || name->second == component.name;
}

}  // namespace

KeyList common_keys() {
  return list_keys(TrainConfig{});
}

std::vector<ComponentKeys> component_keys() {
  std::vector<ComponentKeys> all;
  for (const auto& section : kSections) {
    for (const auto& schema : trainer::bundled_schemas().*section.schemas)
      all.push_back(keys_of(section, schema));
  }
  return all;
}

std::vector<KeyRow> all_keys(const ChosenComponents& chosen) {
  auto rows = common_keys().take_rows();
  for (auto& component : component_keys()) {
    if (!is_wanted(component, chosen)) continue;
    for (auto& row : component.rows) {
      if (std::ranges::find(rows, row.path, &KeyRow::path) == rows.end()) rows.push_back(std::move(row));
    }
  }
  return rows;
}

}  // namespace ddp::cli
