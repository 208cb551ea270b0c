#pragma once

#include <string>

namespace ddp::agent {

/// `text` with `[hidden]` in place of what stands before the '@' of a URL: "https://[hidden]@host/path".
[[nodiscard]] std::string without_url_credentials(std::string text);

}  // namespace ddp::agent
