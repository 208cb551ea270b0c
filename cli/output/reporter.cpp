#include "cli/output/reporter.hpp"

#include <algorithm>

namespace ddp::cli {

ExitCode worst_code(const Errors& errors) {
  ExitCode worst = ExitCode::ok;
  for (const auto& error : errors) worst = std::max(worst, error.code);
  return worst;
}

}  // namespace ddp::cli
