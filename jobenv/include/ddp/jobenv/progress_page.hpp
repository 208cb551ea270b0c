#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>

#include "ddp/jobenv/env_map.hpp"
#include "ddp/jobenv/error.hpp"

namespace ddp {

/// What a rank is doing; part of its exit record.
enum class Phase : std::uint32_t { start, step, checkpoint, evaluate, done };
[[nodiscard]] std::string_view name_of(Phase phase);

/// The page that a rank and its agent share (a memfd, number in DDPSUBMIT_PROGRESS_FD). The agent writes
/// stop_requested, the rank all else; neither needs a system call. Reads and writes are relaxed: each field
/// stands alone. Of a fixed size, so that what knows another version can say so.
struct alignas(64) ProgressPage {
  static constexpr std::uint64_t kNoStep = ~std::uint64_t{0};
  static constexpr std::uint32_t kVersion = 3;

  std::atomic<std::uint32_t> version{kVersion};
  std::atomic<Phase> phase{Phase::start};
  std::atomic<std::uint64_t> step{
      kNoStep};  ///< the last finished optimizer step, counted from 1 over the whole run
  std::atomic<std::uint32_t> stop_requested{0};           ///< the signal that asks for it; 0: none has
  std::atomic<std::uint32_t> checkpoint_milliseconds{0};  ///< that the last checkpoint took; 0: none yet
  /// Done of the present phase: steps, batches of an evaluation, pieces of a checkpoint or of the data.
  std::atomic<std::uint64_t> parts{0};
  std::atomic<std::uint32_t> waits_for_peers{0};  ///< waits that it is in; 0: it has work of its own

  /// Begins a phase, if the rank is not in it already.
  void enter(Phase next) {
    if (phase.load(std::memory_order_relaxed) == next) return;
    parts.store(0, std::memory_order_relaxed);
    phase.store(next, std::memory_order_relaxed);
  }
  /// For the thread that trains: without a locked operation.
  void finish_step(std::uint64_t number) {
    step.store(number, std::memory_order_relaxed);
    parts.store(parts.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
};
static_assert(sizeof(ProgressPage) == 64);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<Phase>::is_always_lock_free);

/// Owns one mapping of a page. Movable, not copyable.
class ProgressMapping {
 public:
  /// A fresh page in a new memfd (the agent's side). The descriptor is close-on-exec and owned by the
  /// mapping.
  [[nodiscard]] static Expected<ProgressMapping> create();

  /// The page behind DDPSUBMIT_PROGRESS_FD in `env`; a private page that nobody else sees when the variable
  /// is absent. The inherited descriptor stays open; the mapping owns a duplicate. A descriptor that is no
  /// page is an error.
  [[nodiscard]] static Expected<ProgressMapping> attach(const EnvMap& env);

  ProgressMapping(ProgressMapping&& other) noexcept;
  ProgressMapping& operator=(ProgressMapping&& other) noexcept;
  ~ProgressMapping();

  [[nodiscard]] ProgressPage& page() { return *page_; }
  [[nodiscard]] const ProgressPage& page() const { return *page_; }
  [[nodiscard]] int descriptor() const { return descriptor_; }  ///< -1 on a private page

 private:
  ProgressMapping(ProgressPage* page, int descriptor) : page_(page), descriptor_(descriptor) {}
  ProgressPage* page_ = nullptr;
  int descriptor_ = -1;
};

}  // namespace ddp
