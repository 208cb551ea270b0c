#include "jobenv/config/suggestion.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

namespace ddp {
namespace {

constexpr std::size_t kLongestWord = 64;  // the distance is quadratic; no key is as long

/// "a: {b: ...}" for "a.b".
std::string nest(std::string_view path) {
  const std::size_t dot = path.find('.');
  if (dot == std::string_view::npos) return std::string(path) + ": ...";
  return std::string(path.substr(0, dot)) + ": {" + nest(path.substr(dot + 1)) + "}";
}

/// What others call a key, and what it is called here.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kUsualNames{{
    {"lr", "learning_rate"},
    {"wd", "weight_decay"},
    {"bs", "batch_size"},
}};

std::string to_small_letters(std::string_view word) {
  std::string small(word);
  for (char& letter : small) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return small;
}

std::string quote_all(std::span<const std::string> words) {
  std::vector<std::string> quoted;
  for (const std::string& word : words) quoted.push_back("'" + word + "'");
  return join_words(quoted);
}

}  // namespace

std::string_view name_here(std::string_view word) {
  const auto* known =
      std::ranges::find(kUsualNames, word, &std::pair<std::string_view, std::string_view>::first);
  return known == kUsualNames.end() ? word : known->second;
}

std::string name_as_key(std::string_view option) {
  option.remove_prefix(std::min(option.find_first_not_of('-'), option.size()));
  std::string name(option);
  std::ranges::replace(name, '-', '_');
  return name;
}

std::string name_longer(std::string_view word, std::span<const std::string> candidates) {
  std::vector<std::string> longer;
  std::ranges::copy_if(candidates, std::back_inserter(longer), [&](const std::string& candidate) {
    return !word.empty() && candidate.starts_with(std::string(word) + "_");
  });
  return quote_all(longer);
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

const std::string* find_nearest(std::string_view word, std::span<const std::string> candidates) {
  if (word.size() > kLongestWord) return nullptr;
  const std::size_t limit = word.size() <= 3 ? 1 : std::min<std::size_t>(word.size() / 3 + 1, 4);
  const std::string small = to_small_letters(word);
  const std::string* best = nullptr;
  std::size_t best_distance = limit + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = std::min(edit_distance(word, candidate), edit_distance(small, candidate));
    if (distance >= best_distance || distance >= candidate.size()) continue;
    best = &candidate;
    best_distance = distance;
  }
  return best;
}

std::string suggest(std::string_view word, std::span<const std::string> candidates) {
  if (word.size() > kLongestWord) return {};
  if (const auto* best = find_nearest(word, candidates)) return "did you mean '" + *best + "'?";
  const std::string longer = name_longer(word, candidates);
  return longer.empty() ? std::string() : "did you mean " + longer + "?";
}

std::vector<std::string> paths_that_end_in(std::string_view key, std::span<const std::string> paths) {
  std::vector<std::string> found;
  std::ranges::copy_if(paths, std::back_inserter(found), [&](const std::string& path) {
    return path == key || path.ends_with("." + std::string(key));
  });
  return found;
}

std::string suggest_path(std::string_view key, std::span<const std::string> paths,
                         const Conditions& conditions) {
  std::vector<std::string> found;
  const bool is_dotted = key.find('.') != std::string_view::npos;
  for (const std::string& path : paths_that_end_in(key, paths)) {
    if (path == key && is_dotted) return "in a file, write " + nest(path);
    const auto condition = conditions.find(path.substr(0, std::min(path.rfind('.'), path.size())));
    found.push_back("'" + path + (path == key ? "' at the top level" : "'") +
                    (condition == conditions.end() ? "" : " (with " + condition->second + ")"));
  }
  return found.empty() ? std::string() : "did you mean " + join_words(found) + "?";
}

std::string join_words(std::span<const std::string> words, std::string_view last) {
  std::string joined;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) joined += i + 1 == words.size() ? last : std::string_view(", ");
    joined += words[i];
  }
  return joined;
}

}  // namespace ddp
