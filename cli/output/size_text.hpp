#pragma once

#include <cstdint>
#include <string>

namespace ddp::cli {

/// "0 B", "812 KiB", "3.4 MiB", "1.2 GiB".
[[nodiscard]] std::string render_file_size(std::uint64_t bytes);

}  // namespace ddp::cli
