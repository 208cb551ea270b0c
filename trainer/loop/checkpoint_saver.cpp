#include "trainer/loop/checkpoint_saver.hpp"

#include <stdexcept>
#include <utility>

namespace ddp::trainer {
namespace {

using std::chrono::steady_clock;

std::string message_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const AttemptSuperseded&) {
    throw;
  } catch (const std::exception& failed) {
    return failed.what();
  }
}

/// How far a checkpoint got whose save has thrown.
std::string fate_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const CheckpointNotNamed&) {
    return "was written, ";
  } catch (...) {
    return "was not written: ";
  }
}

[[noreturn]] void give_up(const std::exception_ptr& error) {
  throw std::runtime_error("the last checkpoint " + fate_of(error) + message_of(error));
}

double in_milliseconds(steady_clock::duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

}  // namespace

CheckpointSaver::CheckpointSaver(CheckpointStore store, std::int64_t keep, Reporter& reporter,
                                 ProgressPage& progress)
    : writer_(std::move(store)), keep_(keep), reporter_(reporter), progress_(progress) {}

void CheckpointSaver::save(const TrainingState& state, const Order& order) {
  drain();
  writer_.begin(state, options(order));
  took(order);
}

void CheckpointSaver::await_copy() {
  const auto began = steady_clock::now();
  writer_.await_copy();
  stall_ += steady_clock::now() - began;
}

void CheckpointSaver::save_in_place(const TrainingState& state, const Order& order) {
  drain();
  took(order);
  writer_.begin_in_place(state, options(order));
}

void CheckpointSaver::took(const Order& order) {
  place_ = order.place;
  best_ = order.best;
  failed_ = false;
  stall_ = steady_clock::now() - order.began;
}

void CheckpointSaver::retry() {
  drain();
  if (failed_) writer_.begin_again();
}

void CheckpointSaver::finish() {
  const auto end = writer_.wait();
  if (!end) return;
  if (end->error) give_up(end->error);
  report(*end, stall_ + end->taken);
}

void CheckpointSaver::settle(std::chrono::milliseconds limit) noexcept {
  try {
    if (writer_.is_writing()) progress_.enter(Phase::checkpoint);
    if (wait_for(limit)) drain();
  } catch (...) {  // what ended the run is told already
  }
}

const std::optional<BestScore>& CheckpointSaver::best() const {
  return best_ && !failed_ ? best_ : named_best_;
}

void CheckpointSaver::pin_best(std::uint64_t step, const BestScore& best) {
  try {
    writer_.pin_best(step, best);
    named_best_ = best;
  } catch (const AttemptSuperseded&) {
    throw;
  } catch (const std::exception& error) {
    reporter_.note(std::string("WARNING: BEST still names an earlier checkpoint: ") + error.what());
  }
}

void CheckpointSaver::after_step(steady_clock::duration taken) {
  if (std::exchange(has_stepped_, true)) {  // the first step is slow for reasons of its own
    Pace& pace = writer_.is_writing() ? beside_a_write_ : alone_;
    pace.taken += taken;
    ++pace.steps;
  }
  if (const auto end = writer_.poll()) conclude(*end);
}

void CheckpointSaver::drain() {
  if (const auto end = writer_.wait()) conclude(*end);
}

void CheckpointSaver::conclude(const WriteEnd& end) {
  failed_ = end.error != nullptr;
  if (failed_) {
    const std::string message = message_of(end.error);
    reporter_.checkpoint_failed(place_, fate_of(end.error), message);
  } else {
    report(end, stall_);
  }
  alone_ = beside_a_write_ = {};
}

void CheckpointSaver::report(const WriteEnd& end, steady_clock::duration waited) {
  failed_ = false;
  if (best_) named_best_ = best_;
  // What a stop has to wait for: with nothing to train beside, the look at the state and the write of it.
  const auto whole = std::chrono::ceil<std::chrono::milliseconds>(stall_ + end.taken).count();
  progress_.checkpoint_milliseconds.store(static_cast<std::uint32_t>(whole), std::memory_order_relaxed);
  reporter_.checkpointed(place_, {.bytes = end.outcome.bytes,
                                  .stall_milliseconds = in_milliseconds(waited),
                                  .write_milliseconds = in_milliseconds(end.taken),
                                  .slowdown = slowdown()});
  for (const auto& warning : end.outcome.warnings) reporter_.note("WARNING: " + warning);
  warn_of_room(end.outcome);
}

void CheckpointSaver::warn_of_room(const SaveOutcome& outcome) {
  const bool scarce = outcome.free_bytes < 2 * outcome.bytes;
  if (scarce && !warned_of_room_)
    reporter_.note("WARNING: the disk of the checkpoints had no room for two more when one was written");
  warned_of_room_ = scarce;
}

std::optional<double> CheckpointSaver::slowdown() const {
  if (alone_.steps == 0 || beside_a_write_.steps == 0) return std::nullopt;
  return (beside_a_write_.taken / static_cast<double>(beside_a_write_.steps)) /
         (alone_.taken / static_cast<double>(alone_.steps));
}

}  // namespace ddp::trainer
