#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "jobenv/agent/controller/run_end.hpp"

namespace ddp::agent {

/// The first step that each rank reports in an attempt. Ranks that report none do not count.
class FirstSteps {
 public:
  /// The failure, if rank `rank` on `host` has begun with another step than the ranks before it.
  [[nodiscard]] std::optional<Failure> take(int rank, const std::string& host, std::uint64_t step);

  [[nodiscard]] bool empty() const { return !first_; }

 private:
  struct Told {
    int rank;
    std::string host;
    std::uint64_t step;
  };
  std::optional<Told> first_;  ///< who has reported one before all others
};

}  // namespace ddp::agent
