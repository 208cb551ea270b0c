#include "cli/output/run/quoted_lines.hpp"

#include <algorithm>

namespace ddp::cli {

std::string quote_lines(std::string_view text) {
  std::string quoted;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    quoted.append("   | ").append(text.substr(0, end)).append("\n");
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return quoted;
}

}  // namespace ddp::cli
