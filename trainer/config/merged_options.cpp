#include "trainer/config/merged_options.hpp"

#include <algorithm>

namespace ddp::trainer {
namespace {

void widen(NumberRange& range, const NumberRange& other) {
  if (other.min < range.min || (other.min == range.min && other.min_bound == Bound::inclusive)) {
    range.min = other.min;
    range.min_bound = other.min_bound;
  }
  if (other.max > range.max || (other.max == range.max && other.max_bound == Bound::inclusive)) {
    range.max = other.max;
    range.max_bound = other.max_bound;
  }
}

/// Without words, any text is taken.
void widen(std::vector<std::string>& words, const std::vector<std::string>& others) {
  if (words.empty() || others.empty()) return words.clear();
  for (const std::string& word : others) {
    if (std::ranges::find(words, word) == words.end()) words.push_back(word);
  }
}

void widen(OptionSchema& option, const OptionSchema& other) {
  option.integers.min = std::min(option.integers.min, other.integers.min);
  option.integers.max = std::max(option.integers.max, other.integers.max);
  widen(option.numbers, other.numbers);
  widen(option.words, other.words);
  if (other.text == OptionSchema::Text::plain) option.text = OptionSchema::Text::plain;
}

}  // namespace

std::optional<ComponentSchema> merge_options(std::span<const ComponentSchema> schemas) {
  if (schemas.empty()) return std::nullopt;
  ComponentSchema merged;
  for (const ComponentSchema& schema : schemas) {
    for (const OptionSchema& option : schema.options) {
      const auto known = std::ranges::find(merged.options, option.key, &OptionSchema::key);
      if (known == merged.options.end()) {
        merged.options.push_back(option);
      } else if (known->default_value.index() == option.default_value.index()) {
        widen(*known, option);
      } else {
        return std::nullopt;
      }
    }
  }
  return merged;
}

}  // namespace ddp::trainer
