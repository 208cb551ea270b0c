#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "jobenv/record/stacks/rank_stack.hpp"

namespace ddp::agent {

/// Where ranks are, by their stacks, and which of them are elsewhere than the others.
class RankPlaces {
 public:
  void add(const RankStack& stack) { stacks_[stack.rank] = stack; }
  void clear() { stacks_.clear(); }

  /// Whether the functions are known that it is in, and not just a system call.
  [[nodiscard]] bool is_known(int rank) const;
  /// Whether all of them were stopped when they were looked at: somebody has suspended the job.
  [[nodiscard]] bool are_all_stopped(const std::vector<int>& ranks) const;
  /// Whether it is known to be in a call that waits for other ranks, of torch.distributed, NCCL, Gloo or MPI.
  [[nodiscard]] bool waits_for_peers(int rank) const;

  /// Those of `ranks` that hold up the others: they are outside of calls that wait for peers while others are
  /// in one; or, where all are, or none is, the fewest that are elsewhere than most. None: nobody stands out,
  /// or not all of them are known.
  [[nodiscard]] std::vector<int> find_apart(const std::vector<int>& ranks) const;

  /// "main (train.py:10)" of one rank; empty: not known.
  [[nodiscard]] std::string place_of(int rank) const;
  /// Where most of `ranks` are; empty: not known.
  [[nodiscard]] std::string place_of_most(const std::vector<int>& ranks) const;

 private:
  [[nodiscard]] std::vector<int> find_few(const std::vector<int>& ranks) const;

  std::map<int, RankStack> stacks_;
};

/// The frame that tells a reader most: the innermost one that is not of the C library. Pure.
[[nodiscard]] std::string choose_telling_frame(const RankStack& stack);

}  // namespace ddp::agent
