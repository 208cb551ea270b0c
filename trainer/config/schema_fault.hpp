#pragma once

#include <optional>
#include <string>

#include "trainer/config/component_schema.hpp"

namespace ddp::trainer {

/// What a table of components gets wrong that a program brings along: two of one name, an option called like
/// another key of its section, an option twice, a default that the option itself would refuse, a number that
/// JSON cannot carry. nullopt when nothing is.
[[nodiscard]] std::optional<std::string> find_schema_fault(const ComponentSchemas& schemas);

}  // namespace ddp::trainer
