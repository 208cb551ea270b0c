#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include <stdexcept>
#include <string>
#include <utility>

#include "ddp/jobenv/own_progress.hpp"
#include "ddp/trainer/process_group.hpp"
#include "trainer/distributed/group/connect_group.hpp"

namespace ddp::trainer {
namespace {

/// The same on all members, and another one than that of every other group out of this one. Of the groups
/// that are made at the same time each has other ranks.
std::string key_of_split(int number, const std::vector<int>& ranks) {
  std::string key = "split-" + std::to_string(number) + "-of";
  for (const int rank : ranks) key += "-" + std::to_string(rank);
  return key;
}

}  // namespace

ProcessGroup ProcessGroup::split(const std::vector<int>& ranks) {
  if (!members_) throw std::logic_error("only a group of init_process_group() can be split");
  GroupMembers picked = members_->pick(ranks);
  const PeerWait wait;
  return connect_group(
      c10::make_intrusive<c10d::PrefixStore>(key_of_split(splits_++, ranks), group_->getStore()),
      std::move(picked));
}

}  // namespace ddp::trainer
