#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "ddp/trainer/component.hpp"

namespace ddp::trainer {

/// What a trainer can be told to put together: one row for each component, in the order of the documentation.
struct ComponentSchemas {
  std::vector<ComponentSchema> models;
  std::vector<ComponentSchema> datasets;
  std::vector<ComponentSchema> optimizers;
};

/// Learning rate schedules: every trainer has them.
[[nodiscard]] std::span<const ComponentSchema> schedule_schemas();

/// Those of ddptrain.
[[nodiscard]] const ComponentSchemas& bundled_schemas();

/// The row of that name, or nullptr.
[[nodiscard]] const ComponentSchema* find_schema(std::span<const ComponentSchema> schemas,
                                                 std::string_view name);

}  // namespace ddp::trainer
