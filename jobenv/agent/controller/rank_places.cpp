#include "jobenv/agent/controller/rank_places.hpp"

#include <algorithm>
#include <string_view>

namespace ddp::agent {
namespace {

/// Of functions and files in whose calls a rank waits for its peers. The engine of autograd is among them:
/// DistributedDataParallel waits at the end of a backward pass.
constexpr std::string_view kWaitsForPeers[] = {"torch/distributed/",
                                               "torch/nn/parallel/",
                                               "torch/autograd/",
                                               "mpi4py",
                                               "horovod",
                                               "c10d::",
                                               "gloo::",
                                               "nccl",
                                               "PMPI_",
                                               "MPI_",
                                               "ompi_",
                                               "ucp_",
                                               "ddp::Reducer"};

/// Of the C and C++ libraries: where a call sleeps, not why.
constexpr std::string_view kTellsNothing[] = {"__", "pthread_", "std::", "syscall", "futex", "_Py", "py_"};

bool is_in_peer_call(const std::string& frame) {
  return std::ranges::any_of(kWaitsForPeers,
                             [&](std::string_view part) { return frame.find(part) != std::string::npos; });
}

bool tells_nothing(const std::string& frame) {
  return std::ranges::any_of(kTellsNothing, [&](std::string_view part) { return frame.starts_with(part); });
}

/// How often each stack is seen; those of one place are equal but for the threads' pools.
std::map<std::vector<std::string>, std::vector<int>> group_by_frames(const std::vector<int>& ranks,
                                                                     const std::map<int, RankStack>& stacks) {
  std::map<std::vector<std::string>, std::vector<int>> groups;
  for (const int rank : ranks) groups[stacks.at(rank).frames].push_back(rank);
  return groups;
}

}  // namespace

std::string choose_telling_frame(const RankStack& stack) {
  const auto& frames = stack.frames;
  if (const auto peer = std::ranges::find_if(frames, is_in_peer_call); peer != frames.end()) return *peer;
  const auto own = std::ranges::find_if_not(frames, tells_nothing);
  if (own != frames.end()) return *own;
  return frames.empty() ? std::string() : frames.front();
}

bool RankPlaces::waits_for_peers(int rank) const {
  const auto found = stacks_.find(rank);
  return found != stacks_.end() && std::ranges::any_of(found->second.frames, is_in_peer_call);
}

std::vector<int> RankPlaces::find_apart(const std::vector<int>& ranks) const {
  if (ranks.size() < 2 || !std::ranges::all_of(ranks, [this](int rank) { return contains(rank); })) return {};
  std::vector<int> outside;
  std::ranges::copy_if(ranks, std::back_inserter(outside),
                       [this](int rank) { return !waits_for_peers(rank); });
  if (!outside.empty() && outside.size() < ranks.size()) return outside;
  return find_few(ranks);
}

/// One group of more than half of the ranks, and few others.
std::vector<int> RankPlaces::find_few(const std::vector<int>& ranks) const {
  const auto source = stacks_.at(ranks.front()).source;
  if (!std::ranges::all_of(ranks, [&](int rank) { return stacks_.at(rank).source == source; })) return {};
  std::vector<int> few;
  for (const auto& [frames, group] : group_by_frames(ranks, stacks_)) {
    if (2 * group.size() <= ranks.size()) few.insert(few.end(), group.begin(), group.end());
  }
  std::ranges::sort(few);
  return few.size() < ranks.size() ? few : std::vector<int>{};
}

std::string RankPlaces::place_of(int rank) const {
  const auto found = stacks_.find(rank);
  return found == stacks_.end() ? std::string() : choose_telling_frame(found->second);
}

std::string RankPlaces::place_of_most(const std::vector<int>& ranks) const {
  std::map<std::string, int> counts;
  for (const int rank : ranks) ++counts[place_of(rank)];
  counts.erase("");
  const auto most = std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
  return most == counts.end() ? std::string() : most->first;
}

}  // namespace ddp::agent
