#include "jobenv/config/last_bracket.hpp"

#include <algorithm>
#include <vector>

namespace ddp {
namespace {

bool is_one_of(char c, std::string_view characters) {
  return characters.find(c) != characters.npos;
}

/// The offset behind the quoted text that begins at `begin`.
std::size_t skip_quoted(std::string_view yaml, std::size_t begin) {
  const char quote = yaml[begin];
  for (std::size_t at = begin + 1; at < yaml.size(); ++at) {
    if (quote == '"' && yaml[at] == '\\') {
      ++at;
    } else if (yaml[at] == quote) {
      return at + 1;  // of '' in single quotes, a second text follows at once
    }
  }
  return yaml.size();
}

}  // namespace

std::optional<std::size_t> find_last_open_bracket(std::string_view yaml) {
  std::vector<std::size_t> open;
  bool begins_word = true;
  for (std::size_t at = 0; at < yaml.size();) {
    const char c = yaml[at];
    const bool follows_blank = at == 0 || is_one_of(yaml[at - 1], " \t\n");
    if (c == '#' && follows_blank) {
      at = std::min(yaml.find('\n', at), yaml.size());
    } else if (begins_word && is_one_of(c, "\"'")) {
      at = skip_quoted(yaml, at);
      begins_word = at < yaml.size() && yaml[at] == '\'';
    } else {
      if (begins_word && is_one_of(c, "[{")) open.push_back(at);
      if (is_one_of(c, "]}") && !open.empty()) open.pop_back();
      begins_word = is_one_of(c, "[{,:-\n") || (begins_word && is_one_of(c, " \t"));
      ++at;
    }
  }
  if (open.empty()) return std::nullopt;
  return open.back();
}

}  // namespace ddp
