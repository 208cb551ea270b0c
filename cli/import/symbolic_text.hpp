#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

/// A text of which some pieces are known only when the job runs.
namespace ddp::cli {

/// What a piece stands for.
enum class SymbolKind : char {
  text = '-',      ///< itself
  variable = 'v',  ///< a variable that is set when the ranks start: its name, or what stands in ${…}
  swept = 'w',     ///< a value that the array task chooses: its name under `args`
  address = 'a',   ///< something that a script finds out about the first node: how it was written
  of_task = 't',   ///< a variable that srun sets for each task: its name
  pattern = 'p',   ///< a sign that bash replaces
  unknown = 'x',   ///< what only the script itself can find out: how it was written
};

/// A piece that bash would split at blanks, or not.
enum class Splitting { whole, splits };

struct Symbol {
  SymbolKind kind = SymbolKind::text;
  std::string text;
  Splitting splitting = Splitting::whole;
};

/// A piece as it stands in a text; texts as they are.
[[nodiscard]] std::string write_symbol(const Symbol& symbol);

/// The pieces of a text, in their order.
[[nodiscard]] std::vector<Symbol> read_symbols(std::string_view text);

/// Whether all of it is known.
[[nodiscard]] bool is_known(std::string_view text);

[[nodiscard]] bool has_symbol(std::string_view text, SymbolKind kind);

/// The text with `replace` in place of each piece that is not known.
[[nodiscard]] std::string replace_symbols(std::string_view text,
                                          const std::function<std::string(const Symbol&)>& replace);

/// The text as bash takes it where it would split it.
[[nodiscard]] std::string as_splitting(std::string_view text);

}  // namespace ddp::cli
