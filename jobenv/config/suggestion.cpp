#include "jobenv/config/suggestion.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
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

}  // namespace

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

std::string suggest(std::string_view word, std::span<const std::string> candidates) {
  if (word.size() > kLongestWord) return {};
  const std::size_t limit = word.size() <= 3 ? 1 : std::min<std::size_t>(word.size() / 3 + 1, 4);
  const std::string* best = nullptr;
  std::size_t best_distance = limit + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance >= best_distance || distance >= candidate.size()) continue;
    best = &candidate;
    best_distance = distance;
  }
  return best ? "did you mean '" + *best + "'?" : std::string();
}

std::string suggest_path(std::string_view key, std::span<const std::string> paths) {
  std::vector<std::string> found;
  const bool is_dotted = key.find('.') != std::string_view::npos;
  for (const std::string& path : paths) {
    if (path == key && is_dotted) return "in a file, write " + nest(path);
    if (path == key) found.push_back("'" + path + "' at the top level");
    if (path.ends_with("." + std::string(key))) found.push_back("'" + path + "'");
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
