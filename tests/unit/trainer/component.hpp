#pragma once

#include <map>
#include <span>
#include <string>

#include "trainer/config/component_schema.hpp"

namespace ddp::trainer {

/// The component `name` with the defaults of its schema, but for `changed`.
inline Component make_component(std::span<const ComponentSchema> schemas, const std::string& name,
                                std::map<std::string, OptionValue> changed = {}) {
  Component component{name, std::move(changed)};
  for (const OptionSchema& option : find_schema(schemas, name)->options)
    component.options.try_emplace(std::string(option.key), option.default_value);
  return component;
}

}  // namespace ddp::trainer
