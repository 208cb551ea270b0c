#include "trainer/distributed/agreement/rank_agreement.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <sstream>

#include "trainer/distributed/agreement/broadcast_text.hpp"
#include "trainer/ranks/rank_list.hpp"

namespace ddp::trainer {
namespace {

constexpr std::int64_t kNone = -1;

std::string join_lines(const std::vector<std::string>& items) {
  std::string text;
  for (const auto& item : items) text += item + '\n';
  return text;
}

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> items;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) items.push_back(line);
  return items;
}

std::int64_t first_difference(const std::vector<std::string>& mine, const std::vector<std::string>& other) {
  if (mine == other) return kNone;
  return std::ranges::mismatch(mine, other).in1 - mine.begin();
}

std::string item_at(const std::vector<std::string>& items, std::int64_t index) {
  return index < std::ssize(items) ? items[static_cast<std::size_t>(index)] : std::string();
}

std::string or_none(const std::string& item) {
  return item.empty() ? "nothing more" : item;
}

}  // namespace

std::string Disagreement::render_ranks() const {
  return render_rank_list(ranks);
}

std::string Disagreement::render_difference(std::span<const std::string> hosts) const {
  const auto name = [&](int rank) {
    return std::to_string(rank) + (hosts.empty() ? "" : " (" + hosts[static_cast<std::size_t>(rank)] + ")");
  };
  return render_ranks() + (ranks.size() == 1 ? " differs" : " differ") + " from rank 0. Rank " +
         name(ranks.front()) + " has " + or_none(item) + "; rank " + name(0) + " has " +
         or_none(item_of_rank_0);
}

std::string Disagreement::render(std::string_view what) const {
  return std::string(what) + " is not the same on all ranks; " + render_difference();
}

std::optional<Disagreement> compare_with_rank_0(const std::vector<std::string>& items, ProcessGroup& group) {
  const auto of_rank_0 = split_lines(broadcast_text(join_lines(items), 0, group));
  const auto differences = group.all_gather(at::tensor({first_difference(items, of_rank_0)}, at::kLong));
  Disagreement found;
  std::int64_t index = kNone;
  for (int rank = 0; rank < group.size(); ++rank) {
    const auto difference = differences[static_cast<std::size_t>(rank)].item<std::int64_t>();
    if (difference == kNone) continue;
    if (found.ranks.empty()) index = difference;
    found.ranks.push_back(rank);
  }
  if (found.ranks.empty()) return std::nullopt;
  found.item = broadcast_text(item_at(items, index), found.ranks.front(), group);
  found.item_of_rank_0 = item_at(of_rank_0, index);
  return found;
}

}  // namespace ddp::trainer
