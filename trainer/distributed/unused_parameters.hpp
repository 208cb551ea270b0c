#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace ddp::trainer {

/// What the reducer means when its next forward pass finds that some parameters got no gradient in the
/// backward before, in the words of this trainer; nullopt when `complaint` is about something else. `names`
/// are those of the parameters, by the numbers that the reducer has for them.
[[nodiscard]] std::optional<std::string> describe_unused_parameters(
    std::string_view complaint, const std::unordered_map<std::size_t, std::string>& names);

}  // namespace ddp::trainer
