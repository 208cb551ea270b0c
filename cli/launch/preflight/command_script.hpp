#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace ddp::cli {

struct CommandScript {
  std::string name;
  std::size_t word = 0;         ///< its index in the command
  bool sought_in_path = false;  ///< too, when the name has no slash: shells do that
};

/// The script that `command` has an interpreter run: "train.py" of `python3 -u train.py`, "run.sh" of `bash
/// run.sh`. nullopt: there is none (`python -m pkg`, `sh -c …`), or that is not certain, because the program
/// is no Python or shell, or has an option that is not known here. Pure.
[[nodiscard]] std::optional<CommandScript> script_of_command(const std::vector<std::string>& command);

}  // namespace ddp::cli
