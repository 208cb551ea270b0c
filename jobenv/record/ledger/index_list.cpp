#include "jobenv/record/ledger/index_list.hpp"

#include <charconv>

namespace ddp {
namespace {

constexpr int kHighest = 1 << 22;  // Slurm's own limit of an array

struct IndexRange {
  int first = 0;
  int last = 0;
};

std::optional<int> take_index(std::string_view& text) {
  int index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc{} || index < 0 || index > kHighest) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return index;
}

bool take_character(std::string_view& text, char character) {
  if (!text.starts_with(character)) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<IndexRange> take_range(std::string_view& text) {
  const auto first = take_index(text);
  if (!first) return std::nullopt;
  if (!take_character(text, '-')) return IndexRange{*first, *first};
  const auto last = take_index(text);
  if (!last || *last < *first) return std::nullopt;
  return IndexRange{*first, *last};
}

std::optional<std::vector<IndexRange>> parse_ranges(std::string_view text) {
  std::vector<IndexRange> ranges;
  do {
    const auto range = take_range(text);
    if (!range) return std::nullopt;
    ranges.push_back(*range);
  } while (take_character(text, ','));
  if (!text.empty()) return std::nullopt;
  return ranges;
}

}  // namespace

std::string render_index_list(std::span<const int> indices) {
  std::string list;
  for (std::size_t begin = 0; begin < indices.size();) {
    std::size_t last = begin;
    while (last + 1 < indices.size() && indices[last + 1] == indices[last] + 1) ++last;
    list += (list.empty() ? "" : ",") + std::to_string(indices[begin]);
    if (last > begin) list += "-" + std::to_string(indices[last]);
    begin = last + 1;
  }
  return list;
}

std::optional<std::vector<int>> parse_index_list(std::string_view list) {
  const auto ranges = parse_ranges(list);
  if (!ranges) return std::nullopt;
  std::vector<int> indices;
  for (const IndexRange& range : *ranges) {
    for (int index = range.first; index <= range.last; ++index) indices.push_back(index);
  }
  return indices;
}

bool index_list_holds(std::string_view list, int index) {
  for (const IndexRange& range : parse_ranges(list).value_or(std::vector<IndexRange>{})) {
    if (range.first <= index && index <= range.last) return true;
  }
  return false;
}

}  // namespace ddp
