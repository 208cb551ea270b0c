#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/import/batch_options.hpp"

/// What an import must not write into a file that people share.
namespace ddp::cli {

/// Whether a variable or an option of that name holds a password or a key.
[[nodiscard]] bool is_secret_name(std::string_view name);

/// The text with "NAME=…" in place of each value whose name is secret.
[[nodiscard]] std::string hide_secrets(std::string_view text);

/// The same of a value of --export, where commas divide what may have blanks.
[[nodiscard]] std::string hide_secrets_of_list(std::string_view list);

/// Whether a text sets a variable or an option of such a name to something that stands in the text itself.
[[nodiscard]] bool writes_secret(std::string_view text);

/// Whether a word looks like a token of a well-known service, such as hf_… or ghp_….
[[nodiscard]] bool looks_like_token(std::string_view word);

/// Whether a command has such a word, or the value of an option such as --api-key.
[[nodiscard]] bool holds_secret(const std::vector<PlacedWord>& words);

}  // namespace ddp::cli
