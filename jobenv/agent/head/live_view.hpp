#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>

#include "jobenv/agent/controller/run_event.hpp"
#include "jobenv/record/live/live_record.hpp"

namespace ddp::agent {

/// What the agents have told of their ranks, put together. Has no clock of its own.
class LiveView {
 public:
  using Time = std::chrono::system_clock::time_point;

  /// Forgets the ranks of the attempt before.
  void begin_attempt(int number);
  /// Of all attempts of this head.
  void set_job_end(Time end) { job_end_ = end; }
  /// Takes what concerns the ranks, and passes over all else. True: the record has changed.
  bool take(const RunEvent& event, Time now);
  [[nodiscard]] LiveRecord make_record(Time now) const;

 private:
  struct Rank {
    std::string host;
    RankReading reading;
    Time read;
    std::optional<double> cpu_percent;
  };
  struct Origin {
    std::uint64_t step = 0;
    Time time;
  };

  bool take_said(const AgentSaid& said, Time now);
  void take_reading(const std::string& host, const RankReading& reading, Time now);
  [[nodiscard]] std::optional<double> seconds_per_step() const;
  [[nodiscard]] LiveSummary summarize() const;
  [[nodiscard]] static LiveRank describe(const Rank& rank);
  [[nodiscard]] static bool stands_out(const Rank& rank, const LiveSummary& summary,
                                       const std::string& common_phase);

  int attempt_ = 0;
  std::optional<Time> job_end_;
  std::map<AgentId, std::string> hosts_;
  std::map<int, Rank> ranks_;
  std::optional<Origin> origin_;  ///< the first step of the attempt that was seen
  Origin newest_;                 ///< the newest step
};

}  // namespace ddp::agent
