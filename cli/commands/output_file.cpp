#include "cli/commands/output_file.hpp"

#include <fmt/format.h>

namespace ddp::cli {

Expected<void> check_output_file(const std::filesystem::path& file) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status)) return {};
  return fail(ExitCode::usage, fmt::format("'{}' is not a regular file", file.string()),
              "give -o the name of a file");
}

}  // namespace ddp::cli
