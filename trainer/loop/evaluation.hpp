#pragma once

#include "ddp/trainer/dataset.hpp"
#include "ddp/trainer/model.hpp"
#include "ddp/trainer/process_group.hpp"
#include "trainer/data/loader.hpp"
#include "trainer/loop/totals.hpp"

namespace ddp::trainer {

/// Loss and accuracy of `model` on `dataset`, shared out over the ranks: each sample counts once, whatever
/// the number of ranks. Leaves the model in training mode. A collective; the model must be the same on all
/// ranks.
[[nodiscard]] Totals evaluate(Model& model, const Dataset& dataset, LoaderOptions options,
                              ProcessGroup& group);

}  // namespace ddp::trainer
