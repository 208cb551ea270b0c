#pragma once

#include <string>
#include <vector>

#include "cli/spec/run_spec.hpp"

namespace ddp::cli {

struct SpecRow {
  std::string key;     ///< dotted path
  std::string value;   ///< as it stands in YAML
  std::string origin;  ///< "default", "run.yaml:4", "command line"
};

/// Every value of the spec in canonical order. Unset values and empty lists are left out.
[[nodiscard]] std::vector<SpecRow> explain_spec(const RunSpec& spec);

/// The spec as YAML in canonical order, the origin of each value as a trailing comment. load_resolved_spec
/// gives an equal spec back.
[[nodiscard]] std::string render_spec(const RunSpec& spec);

}  // namespace ddp::cli
