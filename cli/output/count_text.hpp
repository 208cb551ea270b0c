#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ddp::cli {

/// "1 GPU", "2 GPUs"
[[nodiscard]] std::string render_count(std::size_t count, std::string_view noun);

}  // namespace ddp::cli
