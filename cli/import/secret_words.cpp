#include "cli/import/secret_words.hpp"

#include <algorithm>
#include <array>
#include <cctype>

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

}  // namespace ddp::cli
