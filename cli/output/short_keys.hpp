#pragma once

#include <string>
#include <vector>

namespace ddp::cli {

/// The last part of each dotted key, or the whole of it where two have the same.
[[nodiscard]] std::vector<std::string> shorten_keys(const std::vector<std::string>& keys);

}  // namespace ddp::cli
