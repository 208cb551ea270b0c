#pragma once

#include <tl/expected.hpp>

#include "cli/spec/spec_sources.hpp"
#include "jobenv/config/config_node.hpp"

namespace ddp::cli {

/// Reads all files and arguments and merges them into one tree, without the key `include`. Errors in several
/// files are returned together.
[[nodiscard]] tl::expected<ConfigNode, Errors> merge_layers(const SpecSources& sources);

}  // namespace ddp::cli
