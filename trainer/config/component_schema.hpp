#pragma once

#include <array>
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
  std::vector<ComponentSchema> losses;
  std::vector<ComponentSchema> strategies;  ///< a section of `train:` has the name and the options of each
};

/// One table of ComponentSchemas, by its name in JSON.
struct ComponentTable {
  const char* name;
  std::vector<ComponentSchema> ComponentSchemas::*schemas;
};

inline constexpr std::array kComponentTables = {
    ComponentTable{"models", &ComponentSchemas::models},
    ComponentTable{"datasets", &ComponentSchemas::datasets},
    ComponentTable{"optimizers", &ComponentSchemas::optimizers},
    ComponentTable{"schedules", &ComponentSchemas::schedules},
    ComponentTable{"losses", &ComponentSchemas::losses},
    ComponentTable{"strategies", &ComponentSchemas::strategies},
};

/// Those of ddptrain.
[[nodiscard]] const ComponentSchemas& bundled_schemas();

/// A name that two components of one table have.
[[nodiscard]] std::optional<std::string> find_name_used_twice(const ComponentSchemas& schemas);

/// The row of that name, or nullptr.
[[nodiscard]] const ComponentSchema* find_schema(std::span<const ComponentSchema> schemas,
                                                 std::string_view name);

/// The component that `schema` describes, with its defaults.
[[nodiscard]] Component with_defaults(const ComponentSchema& schema);

/// The same, of the row of that name. Throws std::logic_error if there is none.
[[nodiscard]] Component with_defaults(std::span<const ComponentSchema> schemas, std::string_view name);

}  // namespace ddp::trainer
