#include "cli/output/count_text.hpp"

#include <fmt/format.h>

namespace ddp::cli {

std::string render_count(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace ddp::cli
