#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ddp::cli {

/// A word of a command that expands an argument of the script.
struct ScriptArgument {
  std::string name;  ///< as it is written: "$1", "${2:-x}", "$@"
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Whether the inner text of ${…} begins with an argument of the script, their number, or its path: 1, @, #,
/// 0.
[[nodiscard]] bool is_script_argument(std::string_view variable);

inline constexpr std::string_view kAdviceOnArgument =
    "a run has no arguments of the script: write the value in its place";

/// The words of lines of bash that expand $1, $@, $#, $0 and the like, also in $(…) and here-documents, and
/// `set -- …` and `shift`, which change them. Words in single quotes and \$1 expand nothing. Pure.
[[nodiscard]] std::vector<ScriptArgument> script_arguments_in(const std::string& lines);

}  // namespace ddp::cli
