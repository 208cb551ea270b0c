#pragma once

#include <span>
#include <string_view>

#include "ddp/jobenv/error.hpp"

namespace ddp::cli {

/// An exit code as people are told of it.
struct ExitCodeRow {
  ExitCode code;
  std::string_view brief;  ///< for --help; empty: ddpsubmit itself never ends with it
  std::string_view doc;    ///< for the manual
};

/// Every exit code, ascending.
[[nodiscard]] std::span<const ExitCodeRow> exit_codes();

}  // namespace ddp::cli
