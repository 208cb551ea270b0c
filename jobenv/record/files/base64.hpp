#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ddp {

/// RFC 4648, section 4, padded: any bytes as text for a line of JSON.
[[nodiscard]] std::string encode_base64(std::string_view bytes);
/// nullopt: it is not what encode_base64 makes.
[[nodiscard]] std::optional<std::string> decode_base64(std::string_view text);

}  // namespace ddp
