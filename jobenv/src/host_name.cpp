#include "ddp/jobenv/host_name.hpp"

#include <unistd.h>

#include <array>
#include <climits>

namespace ddp {

std::string host_name() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

}  // namespace ddp
