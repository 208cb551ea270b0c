#pragma once

#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace ddp {

/// The process exit codes of `ddpsubmit` (documented in docs/cli.md). An error carries the one it
/// leads to.
enum class ExitCode : int {
  ok = 0,
  run_failed = 1,
  usage = 2,
  config_invalid = 3,
  authentication = 4,
  not_found = 5,
  scheduler_refused = 6,
  outcome_unknown = 7,
  still_running = 8,
  no_valid_checkpoint = 9,
  preflight_failed = 10,
  requeue = 75,
  interrupted = 130,
  terminated = 143,
};

/// A place in a text that a person wrote. Lines and columns count from 1, `length` in bytes.
struct SourceMark {
  std::string file;  ///< path as the user would type it, or "command line"
  int line = 0;      ///< 0: the place has no line (a command-line argument)
  int column = 0;
  int length = 1;
  std::string text;  ///< the whole source line, without its end
};

/// What went wrong, where, and what to do next.
struct Error {
  ExitCode code = ExitCode::run_failed;
  std::string message;
  std::string hint = {};
  std::optional<SourceMark> where = std::nullopt;

  /// The same error with `prefix: ` before its message.
  [[nodiscard]] Error context(const std::string& prefix) const {
    Error outer = *this;
    outer.message = prefix + ": " + message;
    return outer;
  }
};

/// All errors found in one input, in the order of their places. Never empty when it is an error value.
using Errors = std::vector<Error>;

template <class T>
using Expected = tl::expected<T, Error>;

[[nodiscard]] inline tl::unexpected<Error> fail(ExitCode code, std::string message, std::string hint = {}) {
  return tl::unexpected<Error>(Error{code, std::move(message), std::move(hint)});
}

/// `fail` with the text of `errno_value` behind the message.
[[nodiscard]] tl::unexpected<Error> fail_errno(ExitCode code, const std::string& message, int errno_value);

}  // namespace ddp
