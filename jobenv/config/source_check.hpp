#pragma once

#include <memory>
#include <optional>

#include "jobenv/config/source_text.hpp"

namespace ddp {

/// The first thing in the text that no configuration may hold: broken UTF-8, a control or invisible
/// formatting character, a tab in indentation, brackets without end.
[[nodiscard]] std::optional<Error> check_source_text(const std::shared_ptr<const SourceText>& source);

}  // namespace ddp
