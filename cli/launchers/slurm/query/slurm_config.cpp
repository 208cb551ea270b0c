#include "cli/launchers/slurm/query/slurm_config.hpp"

#include <algorithm>

#include "ddp/jobenv/whole_number.hpp"

namespace ddp::cli {
namespace {

std::optional<int> int_value(std::string_view config, std::string_view name) {
  const auto number = parse_whole_number(config_value(config, name));
  return number ? std::optional(static_cast<int>(std::min<std::int64_t>(*number, 1 << 22))) : std::nullopt;
}

}  // namespace

std::string_view config_value(std::string_view config, std::string_view name) {
  for (std::size_t begin = 0; begin < config.size();) {
    const auto end = std::min(config.find('\n', begin), config.size());
    const auto line = config.substr(begin, end - begin);
    begin = end + 1;
    const auto equals = line.find('=');
    if (equals == line.npos || line.substr(0, line.find_first_of(" =")) != name) continue;
    const auto value = line.substr(std::min(line.find_first_not_of(' ', equals + 1), line.size()));
    return value.substr(0, value.find(' '));
  }
  return {};
}

SlurmConfig parse_slurm_config(std::string_view config) {
  SlurmConfig parsed;
  parsed.cluster = config_value(config, "ClusterName");
  const auto age = parse_whole_number(config_value(config, "MinJobAge"));
  if (age && *age > 0) parsed.min_job_age = std::chrono::seconds(*age);  // 0: for ever
  parsed.max_job_count = int_value(config, "MaxJobCount");
  if (const auto size = int_value(config, "MaxArraySize"))
    parsed.array_limit = std::min(*size, parsed.max_job_count.value_or(*size));
  if (const auto wait = int_value(config, "KillWait")) parsed.kill_wait = std::chrono::seconds(*wait);
  parsed.auth_type = config_value(config, "AuthType");
  return parsed;
}

Expected<SlurmConfig> ask_slurm_config(const SlurmTools& tools) {
  const auto answer = tools.ask({"scontrol", "show", "config"});
  if (answer && answer->succeeded()) return parse_slurm_config(answer->out);
  return fail(ExitCode::outcome_unknown, explain_failure(answer));
}

}  // namespace ddp::cli
