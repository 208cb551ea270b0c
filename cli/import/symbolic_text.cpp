#include "cli/import/symbolic_text.hpp"

#include <algorithm>

namespace ddp::cli {
namespace {

constexpr char kBegin = '\x01';
constexpr char kEnd = '\x02';

}  // namespace

std::string write_symbol(const Symbol& symbol) {
  if (symbol.kind == SymbolKind::text) return symbol.text;
  return std::string{kBegin, static_cast<char>(symbol.kind),
                     symbol.splitting == Splitting::splits ? 's' : '-'} +
         symbol.text + kEnd;
}

std::vector<Symbol> read_symbols(std::string_view text) {
  std::vector<Symbol> symbols;
  while (!text.empty()) {
    const auto length = std::min(text.find(kBegin), text.size());
    if (length > 0) symbols.push_back({SymbolKind::text, std::string(text.substr(0, length))});
    text.remove_prefix(length);
    const auto end = text.find(kEnd);
    if (end == text.npos) break;
    symbols.push_back({static_cast<SymbolKind>(text[1]), std::string(text.substr(3, end - 3)),
                       text[2] == 's' ? Splitting::splits : Splitting::whole});
    text.remove_prefix(end + 1);
  }
  return symbols;
}

bool is_known(std::string_view text) {
  return text.find(kBegin) == text.npos;
}

bool has_symbol(std::string_view text, SymbolKind kind) {
  return std::ranges::any_of(read_symbols(text),
                             [kind](const Symbol& symbol) { return symbol.kind == kind; });
}

std::string replace_symbols(std::string_view text, const std::function<std::string(const Symbol&)>& replace) {
  std::string replaced;
  for (const auto& symbol : read_symbols(text))
    replaced += symbol.kind == SymbolKind::text ? symbol.text : replace(symbol);
  return replaced;
}

std::string as_splitting(std::string_view text) {
  const std::function<std::string(const Symbol&)> split = [](Symbol symbol) {
    symbol.splitting = Splitting::splits;
    return write_symbol(symbol);
  };
  return replace_symbols(text, split);
}

}  // namespace ddp::cli
