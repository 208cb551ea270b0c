#pragma once

#include <stdexcept>

namespace ddp::trainer {

/// The configuration asks for what cannot be done, which only the data, the model or the device have told.
/// What it says names the key and what to do. Under train_main() a rank that it ends leaves with 3, and
/// ddpsubmit does not start the run again: throw it only for what another attempt would meet again. Any other
/// exception ends with 1.
struct InvalidConfiguration : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

}  // namespace ddp::trainer
