#include "cli/commands/watch/rank_set.hpp"

#include <charconv>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

namespace ddp::cli {
namespace {

std::optional<int> parse_rank(std::string_view text) {
  int rank = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
  if (error != std::errc{} || end != text.data() + text.size() || rank < 0) return std::nullopt;
  return rank;
}

std::optional<std::pair<int, int>> parse_range(std::string_view text) {
  const auto dash = text.find('-');
  const auto first = parse_rank(text.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : parse_rank(text.substr(dash + 1));
  if (!first || !last || *last < *first) return std::nullopt;
  return std::pair(*first, *last);
}

}  // namespace

Expected<std::vector<int>> parse_rank_set(const std::string& text, int world_size) {
  std::set<int> ranks;
  std::istringstream parts(text + ",");
  for (std::string part; std::getline(parts, part, ',');) {
    const auto range = parse_range(part);
    if (!range)
      return fail(ExitCode::usage, "'" + text + "' is not a valid set of ranks", "for example: 0-3,7");
    if (range->second >= world_size) {
      return fail(ExitCode::usage, "the run has no rank " + std::to_string(range->second),
                  "its ranks are 0 to " + std::to_string(world_size - 1));
    }
    for (int rank = range->first; rank <= range->second; ++rank) ranks.insert(rank);
  }
  return std::vector<int>(ranks.begin(), ranks.end());
}

}  // namespace ddp::cli
