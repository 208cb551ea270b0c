#include "cli/commands/torchrun/line_options.hpp"

#include <algorithm>
#include <array>

#include "cli/commands/start/start_and_follow.hpp"
#include "cli/torchrun/torchrun_options.hpp"

namespace ddp::cli {
namespace {

constexpr std::array kOptionsOfDdpsubmit = {
    Option{torchrun::kLauncher, "NAME", "where to start: local (the default), slurm or ssh",
           WordKind::launcher},
    Option{torchrun::kSet, "KEY=VALUE", "set a key of the configuration; may be given several times",
           WordKind::assignment},
    Option{torchrun::kName, "NAME", "name of the run (default: the name of the script)"},
    Option{torchrun::kDryRun, "", "print the YAML that the line stands for, and start nothing"},
    kFollowOption,
    kDetachOption,
    kNoPreflightOption,
    kAcceptHostKeysOption,
};

Option option_of(const TorchrunOption& row) {
  return {.name = row.name, .value = row.value, .doc = row.doc, .short_name = row.short_name};
}

}  // namespace

std::vector<Option> line_options() {
  std::vector<Option> options(kOptionsOfDdpsubmit.begin(), kOptionsOfDdpsubmit.end());
  for (const auto& row : torchrun_options()) options.push_back(option_of(row));
  return options;
}

std::optional<Option> find_line_option(std::string_view name) {
  const auto* own = std::ranges::find(kOptionsOfDdpsubmit, with_dashes(name), &Option::name);
  if (own != kOptionsOfDdpsubmit.end()) return *own;
  const auto* row = find_torchrun_option(name);
  return row == nullptr ? std::nullopt : std::optional(option_of(*row));
}

}  // namespace ddp::cli
