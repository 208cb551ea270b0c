#pragma once

#include <map>
#include <string>

#include "jobenv/config/source_text.hpp"

namespace ddp::cli {

/// Where the values of a spec.yaml come from: `places` are theirs in that file, by dotted path, and the
/// comments behind them tell what render_spec knew. A value that has its default has no origin; one without a
/// comment, or of another text than the file, keeps its place.
[[nodiscard]] std::map<std::string, Place> recorded_origins(const std::map<std::string, Place>& places);

}  // namespace ddp::cli
