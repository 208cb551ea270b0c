#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <variant>

#include "ddp/jobenv/env_map.hpp"
#include "ddp/jobenv/progress_line.hpp"

namespace ddp::cli {

/// A line that a rank is rewriting, as a progress bar is.
struct RewrittenLine {
  std::string text;

  bool operator==(const RewrittenLine&) const = default;
};

using LastText = std::variant<ProgressLine, RewrittenLine>;

/// The line of a terminal that stays the last one while others are printed above it.
class LastLine {
 public:
  /// `terminal` must outlive it; `columns` tells how wide the terminal is now.
  LastLine(std::ostream& terminal, std::function<std::size_t()> columns)
      : terminal_(terminal), columns_(std::move(columns)) {}

  /// What draw() draws; nullopt: nothing, and the line is erased.
  void set(std::optional<LastText> line);
  /// Makes room for what is printed next.
  void erase();
  /// Writes nothing when the line stands there already. It is as wide as the terminal was when it was drawn.
  void draw();

 private:
  std::ostream& terminal_;
  std::function<std::size_t()> columns_;
  std::optional<LastText> line_;
  std::optional<LastText> drawn_;  // what stands there
};

/// On stderr or else on stdout (`err`, `out`), where that is a terminal. nullopt where neither is, where
/// there may be no escapes, and where the other one is a pipe: who reads it may print on the same terminal.
[[nodiscard]] std::optional<LastLine> make_last_line(const EnvMap& environment, std::ostream& out,
                                                     std::ostream& err);

}  // namespace ddp::cli
