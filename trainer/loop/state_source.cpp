#include "trainer/loop/state_source.hpp"

#include <algorithm>
#include <utility>

#include "trainer/checkpoint/tensor_rows.hpp"
#include "trainer/loop/state/rng_state.hpp"
#include "trainer/loop/step/non_finite.hpp"

namespace ddp::trainer {

TrainingState StateSource::take() {
  Strategy& strategy = model_.strategy();
  strategy.share_model();
  check_finite_parameters(strategy, course_.place().step, job_.group);
  TrainingState state = of_this_rank();
  if (strategy.parameters_held() == Held::all) state.optimizer = model_.optimizer().gather_state();
  auto rng = job_.group.all_gather(capture_rng(job_.device));
  if (job_.group.rank() == 0) state.rng = std::move(rng);
  return state;
}

TrainingState StateSource::of_this_rank() const {
  const Strategy& strategy = model_.strategy();
  const TrainingPlace& place = course_.place();
  TrainingState state{.step = static_cast<std::uint64_t>(place.step),
                      .epoch = static_cast<std::uint64_t>(place.epoch),
                      .position = static_cast<std::uint64_t>(place.position),
                      .world_size = job_.group.size(),
                      .shards = strategy.shards().count,
                      .batch_size = job_.config.data.batch_size,
                      .settings = job_.settings,
                      .total_steps = course_.total_steps(),
                      .model = {},
                      .optimizer = {},
                      .rng = {}};
  put_rows(strategy.own_state(model_.optimizer()), state);
  if (strategy.parameters_held() == Held::all) state.rows.reset();
  state.parameters = std::min(state.model.size(), model_.module().named_parameters().size());
  if (job_.group.rank() == 0) {
    state.rng.assign(static_cast<std::size_t>(job_.group.size()), capture_rng(job_.device));
    state.extra = model_.train_step().state();
  }
  return state;
}

bool StateSource::is_known_here() const {
  const Strategy& strategy = model_.strategy();
  return strategy.parameters_held() == Held::share || strategy.optimizer_state_held() == Held::all;
}

}  // namespace ddp::trainer
