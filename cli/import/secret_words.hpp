#pragma once

#include <string>
#include <string_view>

/// What an import must not write into a file that people share.
namespace ddp::cli {

/// Whether a variable or an option of that name holds a password or a key.
[[nodiscard]] bool is_secret_name(std::string_view name);

/// The text with "NAME=…" in place of each value whose name is secret.
[[nodiscard]] std::string hide_secrets(std::string_view text);

/// Whether a word looks like a token of a well-known service, such as hf_… or ghp_….
[[nodiscard]] bool looks_like_token(std::string_view word);

}  // namespace ddp::cli
