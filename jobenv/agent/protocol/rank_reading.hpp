#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "ddp/jobenv/phase.hpp"
#include "jobenv/agent/protocol/process_state.hpp"
#include "jobenv/record/phase_form.hpp"

namespace ddp::agent {

/// What an agent sees of a rank that lives.
struct RankReading {
  int rank = 0;
  PhaseName phase;
  std::optional<std::uint64_t> step;         ///< the last finished one; nullopt: it tells none
  std::optional<std::uint64_t> first_step;   ///< the first one that it has told in this attempt
  std::optional<std::uint64_t> total_steps;  ///< of the whole run; nullopt: not known
  std::map<std::string, double> metrics;     ///< the last value of each; of rank 0 alone
  ProcessState process = ProcessState::unknown;
  std::chrono::milliseconds cpu{0};  ///< that the rank and its children have used since its start
  std::uint64_t memory_bytes = 0;    ///< resident, of the rank and its children; what they share counts twice
  std::optional<double> gpu_percent =
      {};  ///< of the time in which the rank's GPUs were busy; nullopt: it has none
  std::uint64_t gpu_memory_bytes = 0;  ///< that the rank and its children hold on them

  static void describe(auto& fields, auto& reading) {
    fields.field("rank", reading.rank, 0);
    fields.field("phase", reading.phase, PhaseForm{});
    fields.field("step", reading.step);
    fields.field("first_step", reading.first_step);
    fields.field("total_steps", reading.total_steps);
    fields.field("metrics", reading.metrics);
    fields.field("process", reading.process, kProcessStates);
    fields.field("cpu_milliseconds", reading.cpu);
    fields.field("memory_bytes", reading.memory_bytes);
    fields.field("gpu_percent", reading.gpu_percent);
    fields.field("gpu_memory_bytes", reading.gpu_memory_bytes);
  }
  bool operator==(const RankReading&) const = default;
};

}  // namespace ddp::agent
