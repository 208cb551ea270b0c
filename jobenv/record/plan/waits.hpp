#pragma once

#include <chrono>
#include <nlohmann/json.hpp>

#include "ddp/jobenv/error.hpp"

namespace ddp {

/// How long the parts of a run wait for each other. These are not settings of a user: runs have the defaults,
/// and tests shorten them, so that they do not spend their time on them.
struct Waits {
  /// How often head speaks to each agent, each agent answers, and head looks whether its claim still holds.
  std::chrono::milliseconds pulse{5'000};
  /// After this long without a word, the other side counts as gone: agents kill their ranks, head takes the
  /// agent for lost.
  std::chrono::milliseconds lease{30'000};
  /// How long after head's last word an agent on an ssh host, whose ranks are gone, still tries to reach head
  /// before it leaves: nobody else may be there to start it when the network is back.
  std::chrono::milliseconds comeback{90'000};
  /// For the last agents to report the end of their ranks: the lease, after which an agent without head has
  /// killed its ranks, and some time to spare.
  std::chrono::milliseconds drain{35'000};
  /// If the run may start with fewer nodes: how long head waits for the missing agents once the first one has
  /// joined. One that died is back within a second; one that was cut off asks for head every second.
  std::chrono::milliseconds absence{10'000};
  /// Between two looks of `ddpsubmit run` at ssh hosts that are away, and before the first one: a short
  /// absence ends by itself.
  std::chrono::milliseconds host_look{15'000};
  /// For Slurm's controller to show the job of an sbatch whose answer was lost: one that is restarted, or
  /// handed over, answers by then. Later the next verb looks.
  std::chrono::milliseconds job_search{60'000};

  /// Between two looks of an agent at what its ranks do, and between two writes of live.json.
  std::chrono::milliseconds live{2'000};
  /// Until it is told that ranks of a command do nothing, where the file names no hang_timeout.
  std::chrono::milliseconds idle{600'000};
  /// For one call of the command under `notify`, and for the end of head to wait for its calls.
  std::chrono::milliseconds notify{10'000};

  bool operator==(const Waits&) const = default;
};

/// Those that differ from the defaults, in milliseconds, by their names here.
[[nodiscard]] nlohmann::json to_json(const Waits& waits);
/// The defaults with what `json` names. Strict: an unknown name, or a value that is not a number of
/// milliseconds above 0, is an error of the code config_invalid.
[[nodiscard]] Expected<Waits> parse_waits(const nlohmann::json& json);

}  // namespace ddp
