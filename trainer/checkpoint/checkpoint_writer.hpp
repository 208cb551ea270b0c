#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <future>
#include <memory>
#include <optional>
#include <utility>

#include "trainer/checkpoint/checkpoint_saver.hpp"
#include "trainer/checkpoint/state_buffer.hpp"

namespace ddp::trainer {

/// How a write ended.
struct WriteEnd {
  SaveOutcome outcome;
  std::chrono::steady_clock::duration taken{};
  std::exception_ptr error;  ///< what CheckpointSaver::save() threw; null: the checkpoint is safe
};

/// Writes checkpoints beside the training, one at a time: a thread copies the state into memory that is kept
/// for it, while the next passes are on their way, and writes the copy. Used by one thread.
class CheckpointWriter {
 public:
  using Options = SaveOptions;

  /// The destructor waits for the write in flight.
  explicit CheckpointWriter(std::unique_ptr<CheckpointSaver> saver) : saver_(std::move(saver)) {}

  /// Writes whole states.
  explicit CheckpointWriter(CheckpointStore store)
      : CheckpointWriter(std::make_unique<WholeSaver>(std::move(store))) {}

  /// Gets the memory for states like `like`, in the background, so that the first copy finds it there. After
  /// a first copy it does nothing.
  void reserve(const TrainingState& like);

  /// Returns at once; `state` is copied and written meanwhile. Its parameters and the optimizer's tensors
  /// must not change before await_copy() has returned. Nothing may be in flight: wait() before.
  void begin(const TrainingState& state, const Options& options);

  /// Returns when the state that begin() was given is copied. Cheap when it is.
  void await_copy();

  /// Writes `state` itself, without a copy: its tensors must not change until the write has ended. Nothing
  /// may be in flight.
  void begin_in_place(const TrainingState& state, const Options& options);

  /// Writes what was begun last once more, in the same way. Nothing may be in flight.
  void begin_again();

  /// Whether a write is in flight. Cheap.
  [[nodiscard]] bool is_writing() const { return !wait_for(std::chrono::milliseconds{0}); }

  /// Waits for the write in flight, no longer than `limit`; whether there is none any more.
  [[nodiscard]] bool wait_for(std::chrono::milliseconds limit) const;

  /// Whether the write in flight has done its own part and waits for other ranks just now. Cheap.
  [[nodiscard]] bool waits_for_ranks() const noexcept { return saver_->waits_for_ranks(); }

  /// The write, in flight or later, waits only briefly for other ranks from now on.
  void hurry() noexcept { saver_->hurry(); }

  /// The end of the write that was begun last, told once; nullopt: there is none to tell. poll() does not
  /// wait for it.
  [[nodiscard]] std::optional<WriteEnd> poll();
  [[nodiscard]] std::optional<WriteEnd> wait();

 private:
  /// Calls `before`, then writes, in a thread of its own.
  template <class Before>
  void start(Before before);
  [[nodiscard]] WriteEnd write();

  std::unique_ptr<CheckpointSaver> saver_;
  StateBuffer buffer_;
  TrainingState in_place_;                // shares its tensors
  const TrainingState* given_ = nullptr;  // one of the two above; null: nothing was begun yet
  Options options_;
  std::future<void> touched_;
  std::future<void> copied_;
  std::future<WriteEnd> writing_;
};

}  // namespace ddp::trainer
