#include "cli/commands/torchrun/node_range.hpp"

#include "ddp/jobenv/whole_number.hpp"

namespace ddp::cli {

std::optional<NodeRange> parse_node_range(std::string_view text) {
  const auto colon = text.find(':');
  const auto lowest = parse_whole_number(text.substr(0, colon));
  const auto highest = colon == text.npos ? lowest : parse_whole_number(text.substr(colon + 1));
  if (!lowest || !highest || *lowest < 1 || *lowest > *highest) return std::nullopt;
  return NodeRange{*lowest, *highest};
}

}  // namespace ddp::cli
