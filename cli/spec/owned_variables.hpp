#pragma once

#include <span>
#include <string_view>

namespace ddp::cli {

/// The variables that tell a rank its place: only the run, or the scheduler of its job, sets them.
[[nodiscard]] std::span<const std::string_view> owned_variables();
/// Prefixes of further such variables.
[[nodiscard]] std::span<const std::string_view> owned_prefixes();

/// By it programs know that torchrun has started them. Under a scheduler, ranks have it only if a file sets
/// it.
inline constexpr std::string_view kTorchelasticRunId = "TORCHELASTIC_RUN_ID";

[[nodiscard]] bool is_owned_variable(std::string_view name);

}  // namespace ddp::cli
