#pragma once

#include <string>
#include <vector>

namespace ddp::cli {

/// What a part of a line is for. Without colours, `good`, `bad` and `warn` are told by their words alone.
enum class Style { plain, dim, strong, head, good, bad, warn, accent };

struct Span {
  std::string text;  ///< showable
  Style style = Style::plain;
};

/// How a whole line is shown.
enum class Row { plain, selected, bar };

struct Line {
  std::vector<Span> spans;
  Row row = Row::plain;
};

/// From the top; not higher than the terminal, no line wider.
using Screen = std::vector<Line>;

/// The text alone, without blanks at its end.
[[nodiscard]] std::string text_of(const Line& line);

}  // namespace ddp::cli
