#pragma once

#include <map>
#include <string>
#include <string_view>

#include "ddp/jobenv/error.hpp"

/// The name of a log as Slurm's tools take it: %j is the id of the job, %4j the same in four digits at least,
/// %% a percent sign.
namespace ddp {

/// The letters behind the percent signs. Refuses with ExitCode::config_invalid those that stand for nothing
/// here.
[[nodiscard]] Expected<std::string> parse_log_pattern(std::string_view pattern);

/// The name, with the values of its letters; those without a value stay as they are.
[[nodiscard]] std::string expand_log_pattern(std::string_view pattern,
                                             const std::map<char, std::string>& values);

}  // namespace ddp
