#include "jobenv/config/config_limits.hpp"

#include <string>

namespace ddp {

Error nested_too_deeply(const Place& at) {
  return config_error(at, "nested deeper than " + std::to_string(kMaxConfigDepth) + " levels");
}

}  // namespace ddp
