#pragma once

#include <string>
#include <string_view>

#include "ddp/jobenv/error.hpp"
#include "trainer/config/component_schema.hpp"

namespace ddp::trainer {

/// How a program built on ddp::trainer tells ddpsubmit what it can be told, so that a file is checked before
/// anything is queued: one JSON object, `{"schema": "ddp.components.v1", "models": [...], ...}`. What of a
/// schema is code (conflict, sample_shape, missing, mismatch) stays with the program, as what only ddptrain's
/// own models tell (blocks) does.
[[nodiscard]] std::string render_schemas(const ComponentSchemas& schemas);

/// The other way round. An error says what is wrong with the text.
[[nodiscard]] Expected<ComponentSchemas> parse_schemas(std::string_view text);

}  // namespace ddp::trainer
