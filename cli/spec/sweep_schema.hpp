#pragma once

#include <nlohmann/json.hpp>

#include "cli/spec/schema_section.hpp"

namespace ddp::cli {

/// Of a sweep whose keys are not known: dotted paths, maps of maps, or both, and lists of values.
[[nodiscard]] nlohmann::ordered_json any_sweep();

/// Of a sweep over keys of `file`; it refers to the definitions.
[[nodiscard]] nlohmann::ordered_json known_sweep(const SchemaSection& file);

/// The axes of all keys that may differ between points, by name.
[[nodiscard]] nlohmann::ordered_json sweep_definitions(const SchemaSection& file);

}  // namespace ddp::cli
