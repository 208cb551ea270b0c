#pragma once

#include <string>

#include "jobenv/config/config_node.hpp"

namespace ddp::cli {

/// The tree of a configuration as a file: sections as blocks, values with the argument that they come from as
/// a comment.
[[nodiscard]] std::string render_config(const ConfigNode& root);

}  // namespace ddp::cli
