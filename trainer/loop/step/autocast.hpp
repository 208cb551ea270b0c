#pragma once

#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include "trainer/config/train_config.hpp"

namespace ddp::trainer {

/// While it lives, forward passes of this thread on `device` compute in `precision` where that is safe, as
/// within Python's torch.autocast. Backward passes belong outside. With fp32 it does nothing.
class Autocast {
 public:
  Autocast(Precision precision, const at::Device& device);
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;
  ~Autocast();

 private:
  at::DeviceType device_;
  bool active_;
  bool was_enabled_ = false;
  bool cached_before_ = false;
  at::ScalarType type_before_ = at::ScalarType::Undefined;
};

}  // namespace ddp::trainer
