#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ddp::cli {

/// Stands between torchrun's options and the script, or between the script and its arguments.
inline constexpr std::string_view kEndOfTorchrunOptions = "--";

/// A word that begins an option, taken apart.
struct OptionWord {
  std::string name;                  ///< as it was written
  std::optional<std::string> value;  ///< behind '=', or behind the letter of a short name
};

/// "--nnodes=2" and, of torchrun's options, "-r3".
[[nodiscard]] OptionWord split_option_word(const std::string& word);

}  // namespace ddp::cli
