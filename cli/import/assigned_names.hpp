#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/import/shell_syntax.hpp"

/// Which variables a word or a line sets.
namespace ddp::cli {

/// NAME=… at the front of a word.
struct Assigned {
  std::string name;
  bool appends = false;
  std::size_t prefix = 0;  ///< of the first part
};

[[nodiscard]] std::optional<Assigned> assignment_of(const ShellWord& word);

/// The value alone.
[[nodiscard]] ShellWord without_prefix(ShellWord word, std::size_t prefix);

/// Whether a text is the name of a variable.
[[nodiscard]] bool is_name(std::string_view text);

/// The array of NAME[i]=value.
[[nodiscard]] std::optional<std::string> element_assigned_by(const ShellWord& word);

/// Variables that ${NAME:=…} and ${NAME=…} of a text set.
[[nodiscard]] std::vector<std::string> set_by_default(std::string_view text);

}  // namespace ddp::cli
