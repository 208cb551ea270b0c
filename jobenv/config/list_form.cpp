#include "jobenv/config/list_form.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "jobenv/config/scalar.hpp"

namespace ddp {
namespace {

constexpr std::string_view kBlanks = " \t";

bool is_plain(std::string_view word) {
  constexpr std::string_view kPlain = "._/+@%=:,-";
  return std::ranges::all_of(word, [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || kPlain.find(c) != kPlain.npos;
  });
}

bool needs_quotes(std::string_view word) {
  constexpr std::array<std::string_view, 7> kWords = {"true", "false", "null", "yes", "no", "on", "off"};
  return word.find_first_of(":,@%") != word.npos || word == "-" || parse_number(word) ||
         std::ranges::find(kWords, word) != kWords.end();
}

}  // namespace

std::string list_form(std::string_view text, ListOf items) {
  std::string list;
  for (auto at = text.find_first_not_of(kBlanks); at != text.npos; at = text.find_first_not_of(kBlanks, at)) {
    const auto word = text.substr(at, text.find_first_of(kBlanks, at) - at);
    if (!is_plain(word)) return {};
    const bool quoted = items == ListOf::texts && needs_quotes(word);
    list += list.empty() ? "[" : ", ";
    list += quoted ? '"' + std::string(word) + '"' : std::string(word);
    at += word.size();
  }
  return list.empty() ? list : list + "]";
}

}  // namespace ddp
