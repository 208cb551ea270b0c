#include "tests/support/places.hpp"

namespace ddp {

std::string source_path(const std::string& name) {
  return DDP_SOURCE_FOLDER "/" + name;
}

std::string build_path(const std::string& name) {
  return DDP_BUILD_FOLDER "/" + name;
}

}  // namespace ddp
