#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ddp {

/// The candidate nearest to `word`; nullptr: none is near.
[[nodiscard]] const std::string* find_nearest(std::string_view word, std::span<const std::string> candidates);

/// "did you mean 'nodes'?" for the candidate nearest to `word`, or those that go on after it with a '_'; an
/// empty string when there is none.
[[nodiscard]] std::string suggest(std::string_view word, std::span<const std::string> candidates);

/// What else has to be written for the keys of a section, by its dotted path.
using Conditions = std::map<std::string, std::string>;

/// "did you mean 'resources.nodes'?" for the dotted paths that end in `key`, or an empty string when none
/// does. A `key` that is a dotted path itself gets the form that files take. Behind a path stands the
/// condition of its section: "did you mean 'train.ddp.static_graph' (with strategy: ddp)?"
[[nodiscard]] std::string suggest_path(std::string_view key, std::span<const std::string> paths,
                                       const Conditions& conditions = {});

/// The dotted paths that are `key`, or end in it.
[[nodiscard]] std::vector<std::string> paths_that_end_in(std::string_view key,
                                                         std::span<const std::string> paths);

/// What a key that goes by another name elsewhere ("lr") is called here ("learning_rate"); else `word`.
[[nodiscard]] std::string_view name_here(std::string_view word);

/// "ntasks_per_node" of "--ntasks-per-node": the name of an option as that of a key.
[[nodiscard]] std::string name_as_key(std::string_view option);

/// "'every_epochs' or 'every_steps'" for the candidates that begin with `word` and '_'; empty when none does.
[[nodiscard]] std::string name_longer(std::string_view word, std::span<const std::string> candidates);

/// The fewest insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// "a", "a or b", "a, b or c".
[[nodiscard]] std::string join_words(std::span<const std::string> words, std::string_view last = " or ");

}  // namespace ddp
