#include "trainer/loop/state_source.hpp"

#include "trainer/loop/state/rng_state.hpp"
#include "trainer/loop/step/non_finite.hpp"
#include "trainer/models/model_state.hpp"

namespace ddp::trainer {

TrainingState StateSource::whole() {
  model_.strategy().share_model();
  check_finite_parameters(model_.strategy(), course_.place().step, job_.group);
  TrainingState state = of_this_rank();
  state.model = model_.strategy().gather_model_state();
  state.optimizer = model_.optimizer().gather_state();
  state.rng = job_.group.all_gather(capture_rng(job_.device));
  return state;
}

TrainingState StateSource::of_this_rank() const {
  const Shards shards = model_.strategy().shards();
  const TrainingPlace& place = course_.place();
  return {.step = static_cast<std::uint64_t>(place.step),
          .epoch = static_cast<std::uint64_t>(place.epoch),
          .position = static_cast<std::uint64_t>(place.position),
          .world_size = job_.group.size(),
          .shards = shards.count,
          .batch_size = job_.config.data.batch_size,
          .settings = job_.settings,
          .total_steps = course_.total_steps(),
          .model = model_state(model_.module()),
          .optimizer = model_.optimizer().state(),
          .rng = std::vector<torch::Tensor>(static_cast<std::size_t>(job_.group.size()),
                                            capture_rng(job_.device)),
          .extra = model_.train_step().state(),
          .parameters = model_.module().parameters().size()};
}

bool StateSource::is_whole_here() const {
  const Strategy& strategy = model_.strategy();
  return strategy.parameters_held() == Held::all && strategy.optimizer_state_held() == Held::all;
}

}  // namespace ddp::trainer
