#pragma once

#include <string>

#include "ddp/trainer/process_group.hpp"

namespace ddp::trainer {

/// The device that a rank computes on.
struct RankDevice {
  std::string uuid;  ///< as CudaPlugin::device_uuid gives it; a MIG instance has one of its own
  std::string host;
};

/// NCCL hangs or fails with numbers when two ranks share a device. Throws std::runtime_error on every rank,
/// with the first device that several ranks have, and these ranks. A collective, over Gloo.
void require_distinct_devices(const RankDevice& mine, ProcessGroup& group);

}  // namespace ddp::trainer
