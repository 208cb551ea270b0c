#include "cli/launch/slurm/array_limit.hpp"

#include <algorithm>

#include "cli/launch/slurm/slurm_config.hpp"
#include "ddp/jobenv/whole_number.hpp"

namespace ddp::cli {
namespace {

std::optional<int> value_of(std::string_view config, std::string_view name) {
  const auto number = parse_whole_number(config_value(config, name));
  return number ? std::optional(static_cast<int>(std::min<std::int64_t>(*number, 1 << 22))) : std::nullopt;
}

}  // namespace

std::optional<int> parse_array_limit(std::string_view config) {
  const auto size = value_of(config, "MaxArraySize");
  if (!size) return std::nullopt;
  return std::min(*size, value_of(config, "MaxJobCount").value_or(*size));
}

Expected<int> ask_array_limit(const SlurmTools& tools) {
  const auto answer = tools.ask({"scontrol", "show", "config"});
  if (!answer) return tl::unexpected(answer.error());
  const auto limit = answer->succeeded() ? parse_array_limit(answer->out) : std::nullopt;
  if (!limit) {
    return fail(ExitCode::preflight_failed,
                "Slurm does not say how large an array may be: " + trim_end(answer->err),
                "nothing was submitted; try again");
  }
  if (*limit > 0) return *limit;
  return fail(ExitCode::scheduler_refused, "this cluster takes no job arrays: its MaxArraySize is 0",
              "start a run for each point");
}

}  // namespace ddp::cli
