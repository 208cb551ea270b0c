#include "trainer/loop/run_evaluations.hpp"

#include <chrono>
#include <utility>

#include "trainer/loop/open_data.hpp"
#include "trainer/loop/state/rng_state.hpp"
#include "trainer/loop/step/autocast.hpp"
#include "trainer/loop/step/evaluation.hpp"
#include "trainer/loop/step/non_finite.hpp"
#include "trainer/loop/step/train_batches.hpp"
#include "trainer/loss/loss.hpp"

namespace ddp::trainer {

void RunEvaluations::open_test_data() {
  if (!test_data_) test_data_ = open_data(job_.config, Split::test, job_.own.datasets, job_.group);
}

std::optional<Totals> RunEvaluations::evaluate_at(const ReportPlace& place, AtStake at_stake) {
  open_test_data();
  const auto began = std::chrono::steady_clock::now();
  job_.progress.enter(Phase::evaluate);
  model_.strategy().share_model();
  const torch::Tensor generators = capture_rng(job_.device);
  const auto totals = measure(at_stake);
  if (!totals) {
    restore_rng(job_.device, generators);
    reporter_.note("stopped on request before the evaluation was done");
    return std::nullopt;
  }
  reporter_.evaluated(place, *totals, std::chrono::steady_clock::now() - began);
  evaluated_step_ = place.step;
  check_finite_at(place.step, *totals);
  return totals;
}

std::optional<Totals> RunEvaluations::measure(AtStake at_stake) {
  draw_loader_seed();
  const Autocast autocast(job_.config.precision, job_.device);
  AgreedStop stop(
      job_.group, [&page = job_.progress, at_stake] { return is_asked_to_stop(page, at_stake); },
      std::nullopt);
  return evaluate(model_.strategy(), make_loss(job_.config.loss), *test_data_,
                  loader_options(job_.config, job_.device), std::move(stop), job_.group);
}

void RunEvaluations::check_finite_at(std::int64_t step, const Totals& totals) const {
  if (job_.config.mode == Mode::train) check_finite_parameters(model_.strategy(), step, job_.group);
  check_finite_evaluation(totals.mean_loss(), model_.strategy(), step, job_.group);
}

}  // namespace ddp::trainer
