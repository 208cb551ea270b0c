#pragma once

#include <string>
#include <string_view>

namespace ddp::cli {

/// What to do about lines that an import does not keep.
struct CompoundAdvice {
  std::string_view what;  ///< "a loop"
  std::string_view advice;
};

/// Of a loop, a condition, a function or a group, by the word that begins it.
[[nodiscard]] CompoundAdvice advice_on_compound(std::string_view word);

/// Of a program that has no place among set-up lines, such as trap; nullptr: it may stand there.
[[nodiscard]] const std::string_view* find_refused_command(std::string_view program);

/// Of a line behind the command, by its program.
[[nodiscard]] std::string_view advice_on_later_line(std::string_view program);

/// Why a variable that a script exports is not needed; empty: it is.
[[nodiscard]] std::string_view reason_of_exported(std::string_view name);

/// Whether Slurm sets the variable for each task, after the script has.
[[nodiscard]] bool is_set_by_slurm(std::string_view name);

/// Whether it tells the program of set-up lines that reads other files, such as source or module.
[[nodiscard]] bool reads_other_lines(std::string_view program);

/// Whether only one rank's place is in the variable: RANK and so on.
[[nodiscard]] bool is_place_of_rank(std::string_view name);

}  // namespace ddp::cli
