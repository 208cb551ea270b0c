#pragma once

#include <memory>
#include <span>

#include "ddp/trainer/components.hpp"
#include "ddp/trainer/process_group.hpp"
#include "trainer/config/train_config.hpp"

namespace ddp::trainer {

/// Opens the data of `config` and checks what no look at the configuration could know: that all ranks of
/// `group` have the same, that there is a sample in it, and that the model has an output for each class.
/// Throws what says what is wrong: InvalidConfiguration when the configuration is. A collective.
[[nodiscard]] std::unique_ptr<Dataset> open_data(const TrainConfig& config, Split split,
                                                 std::span<const DatasetKind> own, ProcessGroup& group);

}  // namespace ddp::trainer
