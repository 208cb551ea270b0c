#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "cli/launchers/slurm/query/slurm_tools.hpp"

namespace ddp::cli {

/// What the controller says of itself.
struct SlurmConfig {
  std::string cluster;                    ///< its name; empty: it does not tell
  std::chrono::seconds min_job_age{300};  ///< how long it shows jobs that have ended, at least
  std::optional<int> max_job_count = {};  ///< jobs that it takes in all, each task of an array one of them
  std::optional<int> array_limit = {};    ///< tasks of one array are below it
  std::optional<std::chrono::seconds> kill_wait = {};  ///< between its TERM and its KILL
  std::string auth_type = {};  ///< who vouches for users: auth/munge, auth/slurm; empty: not told

  bool operator==(const SlurmConfig&) const = default;
};

/// The value of a line "NAME   = value" of `scontrol show config`; empty when there is none.
[[nodiscard]] std::string_view config_value(std::string_view config, std::string_view name);
[[nodiscard]] SlurmConfig parse_slurm_config(std::string_view config);
/// Asks scontrol. The error has Slurm's words.
[[nodiscard]] Expected<SlurmConfig> ask_slurm_config(const SlurmTools& tools);

}  // namespace ddp::cli
