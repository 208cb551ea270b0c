#pragma once

#include <string_view>
#include <vector>

#include "cli/import/batch_options.hpp"

/// What the program of a line says about the line.
namespace ddp::cli {

/// Behind the last '/'.
[[nodiscard]] std::string_view program_name(std::string_view word);

[[nodiscard]] bool is_srun(const PlacedWord& word);

/// Whether the program does not start the words behind it: echo, which, module.
[[nodiscard]] bool only_mentions(std::string_view program);

/// srun behind another program, or in the text of a shell; nullptr: there is none.
[[nodiscard]] const PlacedWord* find_hidden_srun(const std::vector<PlacedWord>& words);

/// Whether a program that reads other lines changes only what is in the environment: "module load",
/// "source venv/bin/activate" and the hook of conda. `words` is not empty.
[[nodiscard]] bool changes_environment_alone(const std::vector<PlacedWord>& words);

/// Whether a line without srun may be the program of the ranks: python train.py, conda run …, ./train.
[[nodiscard]] bool is_program(const std::vector<PlacedWord>& words);

/// Whether the command leaves an environment of conda or of python, which ends with the job anyway.
[[nodiscard]] bool leaves_environment(const std::vector<PlacedWord>& words);

}  // namespace ddp::cli
