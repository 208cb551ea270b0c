#include "cli/import/secret_words.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "cli/import/symbolic_text.hpp"
#include "cli/output/secret_names.hpp"

namespace ddp::cli {
namespace {

constexpr std::array<std::string_view, 9> kTokenBeginnings = {
    "hf_", "ghp_", "gho_", "github_pat_", "glpat-", "sk-", "xoxb-", "xoxp-", "AKIA"};
constexpr std::size_t kShortestToken = 16;

bool is_letter_of_option(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
}

/// Behind a value that begins at `begin`, perhaps with a quote.
std::size_t end_of_value(std::string_view text, std::size_t begin) {
  const bool is_quoted = begin < text.size() && (text[begin] == '"' || text[begin] == '\'');
  if (is_quoted) return std::min(text.find(text[begin], begin + 1), text.size() - 1) + 1;
  return std::min(text.find_first_of(" \t\n,;|&\"'", begin), text.size());
}

}  // namespace

bool is_secret_name(std::string_view name) {
  return secret_suspicion_of(name) == SecretSuspicion::likely;
}

std::string hide_secrets_of_list(std::string_view list) {
  std::string shown;
  while (!list.empty()) {
    const auto item = list.substr(0, list.find(','));
    list.remove_prefix(std::min(item.size() + 1, list.size()));
    const auto name = item.substr(0, item.find('='));
    const bool is_hidden = name.size() < item.size() && is_secret_name(name);
    shown += (is_hidden ? std::string(name) + "=…" : std::string(item)) + (list.empty() ? "" : ",");
  }
  return shown;
}

bool writes_secret(std::string_view text) {
  for (auto sign = text.find('='); sign != text.npos; sign = text.find('=', sign + 1)) {
    auto begin = sign;
    while (begin > 0 && is_letter_of_option(text[begin - 1])) --begin;
    const auto value = text.substr(sign + 1, end_of_value(text, sign + 1) - sign - 1);
    if (is_secret_name(text.substr(begin, sign - begin)) && !value.empty() &&
        value.find_first_of("$`") == value.npos)
      return true;
  }
  return false;
}

std::string hide_secrets(std::string_view text) {
  std::string shown;
  std::size_t done = 0;
  for (auto sign = text.find('='); sign != text.npos; sign = text.find('=', std::max(sign + 1, done))) {
    auto begin = sign;
    while (begin > done && is_letter_of_option(text[begin - 1])) --begin;
    const auto name = text.substr(begin, sign - begin);
    if (!is_secret_name(name) || sign + 1 == text.size()) continue;
    shown += std::string(text.substr(done, sign + 1 - done)) + "…";
    done = end_of_value(text, sign + 1);
  }
  return shown + std::string(text.substr(done));
}

bool looks_like_token(std::string_view word) {
  const auto begins = [word](std::string_view beginning) { return word.starts_with(beginning); };
  return word.size() >= kShortestToken && std::ranges::any_of(kTokenBeginnings, begins);
}

bool holds_secret(const std::vector<PlacedWord>& words) {
  for (std::size_t index = 0; index < words.size(); ++index) {
    const std::string_view word = words[index].text;
    const bool is_login = word == "login" && index == 1 && words.size() == 3 && is_known(words[2].text) &&
                          words[2].text[0] != '-';
    if (is_login || looks_like_token(word)) return true;
    const auto name = word.substr(0, word.find('='));
    if (!word.starts_with("--") || !is_secret_name(name.substr(2))) continue;
    const bool is_separate = name.size() == word.size();
    const auto value = !is_separate               ? word
                       : index + 1 < words.size() ? words[index + 1].text
                                                  : std::string_view();
    if (!value.empty() && is_known(value) && (!is_separate || value[0] != '-')) return true;
  }
  return false;
}

}  // namespace ddp::cli
