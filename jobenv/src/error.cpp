#include "ddp/jobenv/error.hpp"

#include <system_error>

namespace ddp {

tl::unexpected<Error> fail_errno(ExitCode code, const std::string& message, int errno_value) {
  return fail(code, message + ": " + std::generic_category().message(errno_value));
}

}  // namespace ddp
