#pragma once

#include <optional>

#include "ddp/trainer/dataset.hpp"
#include "ddp/trainer/process_group.hpp"
#include "trainer/data/loading/loader.hpp"
#include "trainer/loop/step/agreed_stop.hpp"
#include "trainer/loop/step/totals.hpp"
#include "trainer/loss/loss.hpp"
#include "trainer/strategy/strategy.hpp"

namespace ddp::trainer {

/// `loss` and accuracy of the model of `strategy` on `dataset`, shared out over the ranks: each sample counts
/// once, whatever the number of ranks. nullopt when `stop` came before the last batch. Leaves the model in
/// training mode. A collective; the model must be the same on all ranks.
[[nodiscard]] std::optional<Totals> evaluate(Strategy& strategy, const Loss& loss, const Dataset& dataset,
                                             LoaderOptions options, AgreedStop stop, ProcessGroup& group);

}  // namespace ddp::trainer
