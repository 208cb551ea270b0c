#pragma once

#include <cstdint>
#include <optional>

namespace ddp::trainer {

/// How a GPU is used.
struct DeviceUse {
  std::optional<double> utilization;  ///< 0 to 1: the part of the driver's last sample in which a kernel
                                      ///< ran; of a MIG instance it is not known
  std::int64_t memory = 0;            ///< bytes that tensors of this process take
  std::int64_t peak_memory = 0;       ///< the most that they have taken
};

}  // namespace ddp::trainer
