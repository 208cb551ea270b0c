#include "jobenv/agent/process/descriptor_limit.hpp"

namespace ddp::agent {

std::optional<rlimit> raise_descriptor_limit() {
  rlimit before{};
  if (getrlimit(RLIMIT_NOFILE, &before) != 0 || before.rlim_cur == before.rlim_max) return std::nullopt;
  const rlimit raised{before.rlim_max, before.rlim_max};
  if (setrlimit(RLIMIT_NOFILE, &raised) != 0) return std::nullopt;
  return before;
}

}  // namespace ddp::agent
