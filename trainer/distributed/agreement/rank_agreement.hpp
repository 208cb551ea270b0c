#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ddp/trainer/process_group.hpp"

namespace ddp::trainer {

/// Where ranks differ from rank 0. The items are the first that are not equal, of ranks.front() and of rank
/// 0; one of them is empty when that rank has fewer items.
struct Disagreement {
  std::vector<int> ranks;  ///< all that differ from rank 0, ascending
  std::string item;
  std::string item_of_rank_0;

  /// "rank 2", or "ranks 1, 2 and 5".
  [[nodiscard]] std::string render_ranks() const;

  /// "rank 2 differs from rank 0. Rank 2 (node7) has …; rank 0 (node5) has …"; `hosts`, those of all ranks,
  /// may be empty.
  [[nodiscard]] std::string render_difference(std::span<const std::string> hosts = {}) const;

  /// "`what` is not the same on all ranks; ", and the difference.
  [[nodiscard]] std::string render(std::string_view what) const;
};

/// Compares `items`, lines of text, with those of rank 0. The answer is the same on all ranks; nullopt when
/// all of them agree. A collective.
[[nodiscard]] std::optional<Disagreement> compare_with_rank_0(const std::vector<std::string>& items,
                                                              ProcessGroup& group);

}  // namespace ddp::trainer
