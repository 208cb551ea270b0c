#include "cli/spec/owned_variables.hpp"

#include <algorithm>
#include <array>

namespace ddp::cli {
namespace {

constexpr std::array<std::string_view, 11> kOwnedNames = {
    "RANK",        "LOCAL_RANK",  "WORLD_SIZE", "LOCAL_WORLD_SIZE", "GROUP_RANK",     "NODE_RANK",
    "MASTER_ADDR", "MASTER_PORT", "ROLE_RANK",  "GROUP_WORLD_SIZE", "ROLE_WORLD_SIZE"};
constexpr std::array<std::string_view, 3> kOwnedPrefixes = {"DDPSUBMIT_", "SLURM_", "TORCHELASTIC_"};

}  // namespace

std::span<const std::string_view> owned_variables() {
  return kOwnedNames;
}

std::span<const std::string_view> owned_prefixes() {
  return kOwnedPrefixes;
}

bool is_owned_variable(std::string_view name) {
  return std::ranges::find(kOwnedNames, name) != kOwnedNames.end() ||
         std::ranges::any_of(kOwnedPrefixes,
                             [name](std::string_view prefix) { return name.starts_with(prefix); });
}

}  // namespace ddp::cli
