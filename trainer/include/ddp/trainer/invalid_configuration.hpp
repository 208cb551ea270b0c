#pragma once

#include <stdexcept>

namespace ddp::trainer {

/// The configuration cannot work, which only the data, the model or the device has shown. The message must
/// name the key and what to change. Under train_main() the rank exits with code 3, and ddpsubmit does not
/// restart the run: throw it only for errors that would happen again in another attempt. Any other exception
/// exits with 1.
struct InvalidConfiguration : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

}  // namespace ddp::trainer
