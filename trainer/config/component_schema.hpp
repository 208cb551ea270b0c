#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ddp/trainer/component.hpp"

namespace ddp::trainer {

/// What a trainer can be told to put together: one row for each component, in the order of the documentation.
struct ComponentSchemas {
  std::vector<ComponentSchema> models;
  std::vector<ComponentSchema> datasets;
  std::vector<ComponentSchema> optimizers;
  std::vector<ComponentSchema> schedules;  ///< of the learning rate
};

/// Those of ddptrain.
[[nodiscard]] const ComponentSchemas& bundled_schemas();

/// A name that two components of one table have.
[[nodiscard]] std::optional<std::string> find_name_used_twice(const ComponentSchemas& schemas);

/// The row of that name, or nullptr.
[[nodiscard]] const ComponentSchema* find_schema(std::span<const ComponentSchema> schemas,
                                                 std::string_view name);

}  // namespace ddp::trainer
