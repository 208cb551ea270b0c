#pragma once

#include "jobenv/config/config_node.hpp"
#include "jobenv/config/field_reader.hpp"

namespace ddp::cli {

/// Moves the values of misspelt keys of `root` to the keys that are meant, where those are free and their
/// section is there: so nothing else is missed because of the spelling. Returns the errors of these keys.
[[nodiscard]] Errors correct_keys(const std::vector<FieldReader::Misspelling>& misspellings,
                                  ConfigNode& root);

}  // namespace ddp::cli
