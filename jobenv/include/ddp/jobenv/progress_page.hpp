#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "ddp/jobenv/env_map.hpp"
#include "ddp/jobenv/error.hpp"
#include "ddp/jobenv/phase.hpp"

namespace ddp {

/// The page that a rank and its agent share (a memfd, number in DDPSUBMIT_PROGRESS_FD). Neither needs a
/// system call. ddpsubmit.h is the same page for programs in C, and says who writes what, and in which order.
struct alignas(64) ProgressPage {
  static constexpr std::uint64_t kNoStep = ~std::uint64_t{0};
  static constexpr std::uint64_t kNoStop = ~std::uint64_t{0} >> 1;
  static constexpr std::uint64_t kHold = 0;
  static constexpr std::uint32_t kVersion = 4;
  static constexpr std::uint32_t kTellsSteps = 1;
  static constexpr std::uint32_t kHeedsStops = 2;
  static constexpr std::size_t kNames = 16;
  static constexpr std::size_t kMetrics = 32;

  struct Metric {
    std::array<char, 24> name;
    std::atomic<double> value;
  };

  std::atomic<std::uint32_t> version{kVersion};
  std::atomic<Phase> phase{Phase::start};  ///< or kPhases + index of one of phase_names
  std::atomic<std::uint64_t> step{
      kNoStep};  ///< the last finished optimizer step, counted from 1 over the whole run
  std::atomic<std::uint32_t> stop_requested{0};           ///< the signal that asks for it; 0: none has
  std::atomic<std::uint32_t> checkpoint_milliseconds{0};  ///< that the last checkpoint took; 0: none yet
  /// Done of the present phase: steps, batches of an evaluation, pieces of a checkpoint or of the data.
  std::atomic<std::uint64_t> parts{0};
  std::atomic<std::uint32_t> waits_for_peers{0};   ///< waits that it is in; 0: it has work of its own
  std::atomic<std::uint32_t> uses{0};              ///< kTellsSteps, kHeedsStops
  std::atomic<std::uint64_t> total_steps{0};       ///< of the whole run; 0: not known
  std::atomic<std::uint64_t> stop_step{kNoStop};   ///< stop after it; kHold: wait behind the next step
  std::atomic<std::uint32_t> stack_signal{0};      ///< at it the rank writes its stack; 0: it does not
  std::atomic<std::uint32_t> stack_descriptor{0};  ///< of the memfd for that
  std::array<std::array<char, PhaseName::kLongest + 1>, kNames> phase_names{};
  std::atomic<std::uint32_t> phase_name_count{0};
  std::atomic<std::uint32_t> metric_count{0};
  std::array<Metric, kMetrics> metrics{};
  std::atomic<std::uint64_t> first_step{0};  ///< the first one that it has reported; 0: none yet
  std::array<unsigned char, 2480> unused{};

  /// Begins a phase, if the rank is not in it already.
  void enter(Phase next) {
    if (phase.load(std::memory_order_relaxed) == next) return;
    parts.store(0, std::memory_order_relaxed);
    phase.store(next, std::memory_order_relaxed);
  }
  /// For the thread that trains: without a locked operation.
  void finish_step(std::uint64_t number) {
    if (first_step.load(std::memory_order_relaxed) == 0) first_step.store(number, std::memory_order_relaxed);
    step.store(number, std::memory_order_relaxed);
    parts.store(parts.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
};
static_assert(sizeof(ProgressPage) == 4096);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<double>::is_always_lock_free);

/// What a page says of its rank. A rank can write anything there: what makes no sense counts as not said.
[[nodiscard]] PhaseName phase_of(const ProgressPage& page);
[[nodiscard]] std::optional<std::uint64_t> step_of(const ProgressPage& page);
[[nodiscard]] std::optional<std::uint64_t> first_step_of(const ProgressPage& page);
[[nodiscard]] std::optional<std::uint64_t> total_steps_of(const ProgressPage& page);
/// Those of them that are finite numbers.
[[nodiscard]] std::map<std::string, double> metrics_of(const ProgressPage& page);

/// Owns one mapping of a page. Movable, not copyable.
class ProgressMapping {
 public:
  /// A fresh page in a new memfd (the agent's side). The descriptor is close-on-exec and owned by the
  /// mapping.
  [[nodiscard]] static Expected<ProgressMapping> create();

  /// The page behind DDPSUBMIT_PROGRESS_FD in `env`; a private page that nobody else sees when the variable
  /// is absent. The inherited descriptor stays open; the mapping owns a duplicate. It is an
  /// error if the descriptor is not a page of this version.
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
