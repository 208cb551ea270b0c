#pragma once

#include <exception>
#include <string>

namespace ddp::trainer {

/// How a rank ends because of an exception.
struct Failure {
  int exit_code = 1;
  std::string message;  ///< one or more lines; the first says what went wrong
};

/// What `error` means. kExitPeerLost is for errors that only say that another rank is gone or does not
/// answer.
[[nodiscard]] Failure describe_failure(const std::exception_ptr& error);

}  // namespace ddp::trainer
