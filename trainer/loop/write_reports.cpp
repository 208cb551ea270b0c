#include "trainer/loop/write_reports.hpp"

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

void WriteReports::begin(const Given& given) {
  place_ = given.place;
  best_ = given.best;
  failed_ = false;
  stall_ = steady_clock::now() - given.began;
}

void WriteReports::add_step(Duration taken, Beside beside) {
  if (!std::exchange(has_stepped_, true)) return;  // the first step is slow for reasons of its own
  Pace& pace = beside == Beside::a_write ? beside_a_write_ : alone_;
  pace.taken += taken;
  ++pace.steps;
}

void WriteReports::conclude(const WriteEnd& end) {
  failed_ = end.error != nullptr;
  if (failed_) {
    const std::string message = message_of(end.error);
    reporter_.checkpoint_failed(place_, fate_of(end.error), message);
  } else {
    report(end, stall_);
  }
  alone_ = beside_a_write_ = {};
}

void WriteReports::conclude_for_good(const WriteEnd& end) {
  if (end.error) give_up(end.error);
  report(end, stall_ + end.taken);
}

void WriteReports::report(const WriteEnd& end, Duration waited) {
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

void WriteReports::warn_of_room(const SaveOutcome& outcome) {
  const bool scarce = outcome.free_bytes < 2 * outcome.bytes;
  if (scarce && !warned_of_room_)
    reporter_.note(
        "WARNING: the disk of the checkpoints is nearly full: it has no room for two more checkpoints");
  warned_of_room_ = scarce;
}

std::optional<double> WriteReports::slowdown() const {
  if (alone_.steps == 0 || beside_a_write_.steps == 0) return std::nullopt;
  return (beside_a_write_.taken / static_cast<double>(beside_a_write_.steps)) /
         (alone_.taken / static_cast<double>(alone_.steps));
}

}  // namespace ddp::trainer
