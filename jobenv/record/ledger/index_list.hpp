#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Whole numbers as Slurm writes those of an array: "0-4,7,9".
namespace ddp {

/// `indices` are sorted and unique.
[[nodiscard]] std::string render_index_list(std::span<const int> indices);

/// In the order in which they stand there; nullopt when it is no such list.
[[nodiscard]] std::optional<std::vector<int>> parse_index_list(std::string_view list);

/// Whether a list names `index`; false for what is no list.
[[nodiscard]] bool index_list_holds(std::string_view list, int index);

}  // namespace ddp
