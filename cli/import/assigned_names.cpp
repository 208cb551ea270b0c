#include "cli/import/assigned_names.hpp"

#include <algorithm>
#include <cctype>

namespace ddp::cli {

std::optional<Assigned> assignment_of(const ShellWord& word) {
  if (word.parts.empty() || word.parts[0].kind != ShellPart::Kind::text ||
      word.parts[0].quoting != Quoting::none)
    return std::nullopt;
  const auto& text = word.parts[0].text;
  const auto sign = text.find('=');
  if (sign == text.npos || sign == 0) return std::nullopt;
  const bool appends = text[sign - 1] == '+';
  const auto name = text.substr(0, sign - (appends ? 1 : 0));
  const auto is_letter = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  if (name.empty() || !std::ranges::all_of(name, is_letter)) return std::nullopt;
  return Assigned{name, appends, sign + 1};
}

ShellWord without_prefix(ShellWord word, std::size_t prefix) {
  word.parts[0].text.erase(0, prefix);
  if (word.parts[0].text.empty() && word.parts.size() > 1) word.parts.erase(word.parts.begin());
  return word;
}

bool is_name(std::string_view text) {
  const auto is_letter = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 &&
         std::ranges::all_of(text, is_letter);
}

std::optional<std::string> element_assigned_by(const ShellWord& word) {
  const auto& parts = word.parts;
  const bool has_index = parts.size() > 2 && parts[0].kind == ShellPart::Kind::text &&
                         parts[0].quoting == Quoting::none && is_name(parts[0].text) &&
                         parts[1].kind == ShellPart::Kind::pattern && parts[1].text == "[";
  if (!has_index) return std::nullopt;
  const bool is_set = std::ranges::any_of(parts, [](const ShellPart& part) {
    return part.text.find("]=") != part.text.npos || part.text.find("]+=") != part.text.npos;
  });
  return is_set ? std::optional(parts[0].text) : std::nullopt;
}

std::vector<std::string> set_by_default(std::string_view text) {
  std::vector<std::string> names;
  for (auto at = text.find("${"); at != text.npos; at = text.find("${", at + 2)) {
    const auto inner = text.substr(at + 2);
    const auto end = std::min(inner.find_first_of(":=}-+?[#%/^,@"), inner.size());
    const auto sign = inner.substr(end);
    if (sign.starts_with(":=") || sign.starts_with('=')) names.emplace_back(inner.substr(0, end));
  }
  return names;
}

}  // namespace ddp::cli
