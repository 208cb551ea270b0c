#include "jobenv/agent/controller/rank_places.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>

#include "jobenv/agent/protocol/process_state.hpp"

namespace ddp::agent {
namespace {

/// Of Python's files and of native functions in whose calls a rank waits for its peers. The engine of
/// autograd is among them: DistributedDataParallel waits at the end of a backward pass.
constexpr std::string_view kFilesOfPeerCalls[] = {"(torch/distributed/", "(torch/nn/parallel/",
                                                  "(torch/autograd/", "(mpi4py/", "(horovod/"};
constexpr std::string_view kOtherFiles[] = {"(torch/distributed/checkpoint/", "(torch/distributed/elastic/",
                                            "(torch/distributed/run.py", "(torch/distributed/launcher/"};
constexpr std::string_view kPeerFunctions[] = {"c10d::", "gloo::", "nccl", "PMPI_", "MPI_",
                                               "ompi_",  "opal_",  "ucp_", "uct_"};

/// Of the C and C++ libraries: where a call sleeps, not why.
constexpr std::string_view kTellsNothing[] = {"__",     "pthread_", "std::", "syscall", "futex",
                                              "_Py",    "py_",      "poll",  "ppoll",   "epoll_",
                                              "select", "recv",     "read",  "sched_",  "usleep"};

bool holds_one_of(const std::string& frame, std::span<const std::string_view> parts) {
  return std::ranges::any_of(parts,
                             [&](std::string_view part) { return frame.find(part) != std::string::npos; });
}

bool begins_with_one_of(const std::string& frame, std::span<const std::string_view> parts) {
  return std::ranges::any_of(parts, [&](std::string_view part) { return frame.starts_with(part); });
}

bool is_peer_call(const std::string& frame) {
  return begins_with_one_of(frame, kPeerFunctions) ||
         (holds_one_of(frame, kFilesOfPeerCalls) && !holds_one_of(frame, kOtherFiles));
}

/// A Python frame names its file, and always tells something.
bool tells_nothing(const std::string& frame) {
  return frame.find(" (") == std::string::npos && begins_with_one_of(frame, kTellsNothing);
}

/// The system call alone says neither what for nor whether for others.
bool knows_functions(const RankStack& stack) {
  return stack.source != "kernel" && !stack.frames.empty();
}

}  // namespace

std::string choose_telling_frame(const RankStack& stack) {
  const auto own = std::ranges::find_if_not(stack.frames, tells_nothing);
  if (own != stack.frames.end()) return *own;
  return stack.frames.empty() ? std::string() : stack.frames.front();
}

bool RankPlaces::is_known(int rank) const {
  const auto found = stacks_.find(rank);
  return found != stacks_.end() && knows_functions(found->second);
}

bool RankPlaces::are_all_stopped(const std::vector<int>& ranks) const {
  return std::ranges::all_of(ranks, [this](int rank) {
    const auto found = stacks_.find(rank);
    return found != stacks_.end() && found->second.process == name_of(ProcessState::stopped);
  });
}

bool RankPlaces::waits_for_peers(int rank) const {
  return is_known(rank) && is_peer_call(place_of(rank));
}

std::vector<int> RankPlaces::find_apart(const std::vector<int>& ranks) const {
  if (ranks.size() < 2 || !std::ranges::all_of(ranks, [this](int rank) { return is_known(rank); })) return {};
  std::vector<int> outside;
  std::ranges::copy_if(ranks, std::back_inserter(outside),
                       [this](int rank) { return !waits_for_peers(rank); });
  if (!outside.empty() && outside.size() < ranks.size()) return outside;
  return find_few(ranks);
}

/// One place holds more than half of the ranks, and few are elsewhere. Tools name the same place in different
/// ways.
std::vector<int> RankPlaces::find_few(const std::vector<int>& ranks) const {
  const auto source = stacks_.at(ranks.front()).source;
  if (!std::ranges::all_of(ranks, [&](int rank) { return stacks_.at(rank).source == source; })) return {};
  std::map<std::string, std::vector<int>> groups;
  for (const int rank : ranks) groups[place_of(rank)].push_back(rank);
  std::vector<int> few;
  for (const auto& [place, group] : groups) {
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
