#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ddp {

/// "did you mean 'nodes'?" for the candidate nearest to `word`, or an empty string when none is near.
[[nodiscard]] std::string suggest(std::string_view word, std::span<const std::string> candidates);

/// "did you mean 'resources.nodes'?" for the dotted paths that end in `key`, or an empty string when none
/// does. A `key` that is a dotted path itself gets the form that files take.
[[nodiscard]] std::string suggest_path(std::string_view key, std::span<const std::string> paths);

/// The fewest insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// "a", "a or b", "a, b or c".
[[nodiscard]] std::string join_words(std::span<const std::string> words, std::string_view last = " or ");

}  // namespace ddp
