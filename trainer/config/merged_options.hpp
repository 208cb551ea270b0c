#pragma once

#include <optional>
#include <span>

#include "ddp/trainer/component.hpp"

namespace ddp::trainer {

/// The options of all components. One that several have takes what any of them takes. nullopt: there are no
/// components, or an option has another type in another one.
[[nodiscard]] std::optional<ComponentSchema> merge_options(std::span<const ComponentSchema> schemas);

}  // namespace ddp::trainer
