#include "cli/output/size_text.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace ddp::cli {

std::string render_file_size(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 5> kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
  constexpr double kStep = 1024;
  auto size = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; size >= kStep && unit + 1 < kUnits.size(); ++unit) size /= kStep;
  return unit < 2 ? fmt::format("{:.0f} {}", size, kUnits.at(unit))
                  : fmt::format("{:.1f} {}", size, kUnits.at(unit));
}

}  // namespace ddp::cli
