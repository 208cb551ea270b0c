#pragma once

#include <utility>

#include "trainer/checkpoint/checkpoint.hpp"
#include "trainer/checkpoint/training_state.hpp"

namespace ddp::trainer {

/// How a state becomes a checkpoint. Used by one thread, but for hurry() and
/// waits_for_ranks().
class CheckpointSaver {
 public:
  virtual ~CheckpointSaver() = default;

  /// Throws what CheckpointStore::save() throws.
  virtual SaveOutcome save(const TrainingState& state, const SaveOptions& options) = 0;

  /// For a run that has failed: a save, under way or later, waits only briefly for other ranks from now on.
  /// May be called by any thread.
  virtual void hurry() noexcept {}

  /// Whether the save under way waits for other ranks just now. May be called by any thread.
  [[nodiscard]] virtual bool waits_for_ranks() const noexcept { return false; }
};

/// For one rank that has the whole state.
class WholeSaver final : public CheckpointSaver {
 public:
  explicit WholeSaver(CheckpointStore store) : store_(std::move(store)) {}

  SaveOutcome save(const TrainingState& state, const SaveOptions& options) override {
    return store_.save(state, options.keep, options.best);
  }

 private:
  CheckpointStore store_;
};

}  // namespace ddp::trainer
