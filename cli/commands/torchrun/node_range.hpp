#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ddp::cli {

/// The value of --nnodes.
struct NodeRange {
  std::int64_t lowest = 1;
  std::int64_t highest = 1;
};

/// "2" or "1:4", with 0 < MIN <= MAX; nullopt: it is neither.
[[nodiscard]] std::optional<NodeRange> parse_node_range(std::string_view text);

}  // namespace ddp::cli
