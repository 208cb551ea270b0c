#include "cli/torchrun/option_word.hpp"

#include "cli/torchrun/torchrun_options.hpp"

namespace ddp::cli {
namespace {

OptionWord split_short_word(const std::string& word) {
  const auto* row = find_torchrun_option(std::string_view(word).substr(0, 2));
  const bool has_value = row != nullptr && word.size() > 2 && !row->value.empty();
  if (!has_value) return {word, std::nullopt};
  return {word.substr(0, 2), word.substr(word[2] == '=' ? 3 : 2)};
}

}  // namespace

OptionWord split_option_word(const std::string& word) {
  if (!word.starts_with("--")) return split_short_word(word);
  const auto equals = word.find('=');
  if (equals == word.npos) return {word, std::nullopt};
  return {word.substr(0, equals), word.substr(equals + 1)};
}

}  // namespace ddp::cli
