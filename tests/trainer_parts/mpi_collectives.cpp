// One rank of a test: the collectives over MPI beside those over Gloo. Prints what differs.
//
//   mpi_collectives check           compares each collective that the trainer uses
//   mpi_collectives fail            starts many sums, of which MPI refuses one; prints how many failed
//   mpi_collectives times BACKEND   mpi, gloo or memory: prints, as JSON, by the bytes of a tensor, the
//                                   seconds that each of several all-reduces took
#include <ATen/ATen.h>

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/trainer_parts/parts.hpp"
#include "trainer/app/failure.hpp"
#include "trainer/app/last_words.hpp"
#include "trainer/distributed/agreement/gather_texts.hpp"
#include "trainer/distributed/group/connect_group.hpp"

namespace ddp::trainer::mpi_collectives {
namespace {

using C10dGroup = c10d::ProcessGroup;
using Tensors = std::vector<at::Tensor>;

class Comparison {
 public:
  Comparison(ProcessGroup& gloo, ProcessGroup& mpi) : gloo_(gloo), mpi_(mpi) {}

  /// Of what `collective` makes of its tensors: over MPI the same each time, and the bits of Gloo; of sums of
  /// more than two ranks, which MPI adds up in another order, about the same numbers.
  void compare(const std::string& name, const std::function<at::Tensor(C10dGroup&)>& collective) {
    const at::Tensor expected = collective(*gloo_.c10d_group());
    const at::Tensor found = collective(*mpi_.c10d_group());
    expect(found.equal(collective(*mpi_.c10d_group())), name + " does not repeat itself");
    const bool is_exact = mpi_.size() == 2 || !found.is_floating_point();
    expect(is_exact ? found.equal(expected) : found.allclose(expected, 0.05, 0.05),
           name + " differs from Gloo");
  }

  /// Is what `call` asks for refused with these words?
  void refuses(const std::string& words, const std::function<void(C10dGroup&)>& call) {
    try {
      call(*mpi_.c10d_group());
      expect(false, "not refused: " + words);
    } catch (const c10::Error& refused) {
      const std::string text = refused.what_without_backtrace();
      expect(text.find(words) != std::string::npos, "refused with other words: " + text);
    }
  }

  void expect(bool good, const std::string& what) {
    if (good) return;
    std::cout << what << '\n';
    failed_ = true;
  }

  [[nodiscard]] ProcessGroup& mpi() { return mpi_; }
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  ProcessGroup& gloo_;
  ProcessGroup& mpi_;
  bool failed_ = false;
};

/// Other numbers on each rank, of about 1, or of about 100 if they are integers.
at::Tensor numbers(const C10dGroup& group, std::int64_t count, at::ScalarType type) {
  const at::Tensor waves = at::sin(at::arange(count, at::kDouble) * (group.getRank() + 1));
  return (c10::isFloatingType(type) ? waves : waves * 100).to(type);
}

void compare_sums(Comparison& with) {
  for (const auto type : {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16, at::kInt, at::kLong}) {
    for (const std::int64_t count : {1, 1000, 100'003}) {
      const std::string what = std::string(c10::toString(type)) + " of " + std::to_string(count);
      with.compare("the sum of " + what, [&](C10dGroup& group) {
        Tensors tensors = {numbers(group, count, type)};
        group.allreduce(tensors)->wait();
        return tensors.front();
      });
      with.compare("the reduce-scatter of " + what, [&](C10dGroup& group) {
        at::Tensor all = numbers(group, count * group.getSize(), type);
        at::Tensor part = at::zeros({count}, type);
        group._reduce_scatter_base(part, all, {})->wait();
        return part;
      });
    }
  }
  for (const auto& operation : {c10d::ReduceOp::MAX, c10d::ReduceOp::MIN}) {
    with.compare("an extremum", [&](C10dGroup& group) {
      Tensors tensors = {numbers(group, 1000, at::kLong)};
      group.allreduce(tensors, {.reduceOp = operation})->wait();
      return tensors.front();
    });
  }
  with.compare("the sum at one rank", [&](C10dGroup& group) {
    Tensors tensors = {numbers(group, 1000, at::kFloat)};
    c10d::ReduceOptions to_last;
    to_last.rootRank = group.getSize() - 1;
    group.reduce(tensors, to_last)->wait();
    return group.getRank() == to_last.rootRank ? tensors.front() : at::zeros({1});
  });
}

void compare_moves(Comparison& with) {
  with.compare("the broadcast", [](C10dGroup& group) {
    c10d::BroadcastOptions from_last;
    from_last.rootRank = group.getSize() - 1;
    Tensors flags = {numbers(group, 1001, at::kFloat).gt(0)};
    group.broadcast(flags, from_last)->wait();
    Tensors pixels = {
        numbers(group, 120, at::kFloat).view({2, 3, 4, 5}).contiguous(at::MemoryFormat::ChannelsLast)};
    group.broadcast(pixels, from_last)->wait();
    return at::cat({flags.front().to(at::kFloat), pixels.front().reshape(-1)});
  });
  with.compare("the all-gather", [](C10dGroup& group) {
    std::vector<Tensors> rows(1);
    for (int rank = 0; rank < group.getSize(); ++rank) rows[0].push_back(at::empty({3, 5}, at::kInt));
    Tensors mine = {numbers(group, 15, at::kInt).view({3, 5})};
    group.allgather(rows, mine)->wait();
    return at::cat(rows[0]);
  });
  for (const bool in_place : {false, true}) {
    with.compare("the all-gather into one tensor", [&](C10dGroup& group) {
      at::Tensor all = at::zeros({1000L * group.getSize()}, at::kBFloat16);
      const at::Tensor mine = numbers(group, 1000, at::kBFloat16);
      at::Tensor input = in_place ? all.narrow(0, 1000L * group.getRank(), 1000).copy_(mine) : mine;
      group._allgather_base(all, input, {})->wait();
      return all;
    });
  }
}

void compare_many_at_once(Comparison& with) {
  with.compare("sums at once", [](C10dGroup& group) {
    std::vector<Tensors> tensors;
    std::vector<c10::intrusive_ptr<c10d::Work>> works;
    for (int number = 0; number < 30; ++number) {
      tensors.push_back({numbers(group, 5000 + number, at::kFloat)});
      works.push_back(group.allreduce(tensors.back()));
    }
    at::Tensor sum = at::zeros({1});
    for (std::size_t last = works.size(); last-- > 0;) {
      works[last]->wait();
      sum += works[last]->result().at(0).sum();
    }
    return sum;
  });
}

/// That of rank 1 is empty.
std::size_t length_of_message(int rank) {
  return static_cast<std::size_t>(std::abs(rank - 1)) * 100'000;
}

void check_messages(Comparison& with) {
  ProcessGroup& mpi = with.mpi();
  for (int round = 0; round < 3; ++round) {
    const auto texts = gather_texts(std::string(length_of_message(mpi.rank()), 'x'), mpi);
    for (int rank = 0; rank < mpi.size(); ++rank)
      with.expect(texts.at(static_cast<std::size_t>(rank)).size() == length_of_message(rank),
                  "the message of rank " + std::to_string(rank));
  }
  mpi.barrier();
}

void check_refusals(Comparison& with) {
  const auto sum_of = [](Tensors tensors, c10d::ReduceOp operation = c10d::ReduceOp::SUM) {
    return [tensors, operation](C10dGroup& group) mutable {
      group.allreduce(tensors, {.reduceOp = operation})->wait();
    };
  };
  with.refuses("cannot reduce tensors of Bool", sum_of({at::ones({2}, at::kBool)}));
  with.refuses("cannot reduce tensors of Float by PRODUCT", sum_of({at::ones({2})}, c10d::ReduceOp::PRODUCT));
  with.refuses("cannot reduce tensors of Half", sum_of({at::ones({2}, at::kHalf)}, c10d::ReduceOp::MAX));
  with.refuses("one tensor for each call", sum_of({at::ones({2}), at::ones({2})}));
  with.refuses("dense tensors without gaps", sum_of({at::ones({4, 4}).narrow(1, 0, 2)}));
  with.refuses("does not support alltoall", [](C10dGroup& group) {
    at::Tensor input = at::ones({4});
    at::Tensor output = at::ones({4});
    std::vector<std::int64_t> none;
    group.alltoall_base(output, input, none, none)->wait();
  });
}

int check(const JobEnvironment& job) {
  ProcessGroup gloo = join_group(job, {.shared_memory = false});
  ProcessGroup mpi =
      connect_group(c10::make_intrusive<c10d::PrefixStore>("mpi", gloo.c10d_group()->getStore()),
                    GroupMembers::all_of(job, {.backend = Backend::mpi}));
  Comparison comparison(gloo, mpi);
  compare_sums(comparison);
  compare_moves(comparison);
  compare_many_at_once(comparison);
  check_messages(comparison);
  check_refusals(comparison);
  mpi.barrier();
  return comparison.failed() ? 1 : 0;
}

/// Waits for the last one first: it fails, too.
int fail_together(const JobEnvironment& job) {
  ProcessGroup group = join_group(job, {.backend = Backend::mpi});
  std::vector<c10::intrusive_ptr<c10d::Work>> works;
  int failed = 0;
  const auto count_failure = [&failed](const std::function<void()>& call) {
    try {
      call();
    } catch (const c10::Error&) {
      ++failed;
    }
  };
  for (int number = 0; number < 100; ++number)
    count_failure([&] {
      Tensors tensors = {at::ones({5000})};
      works.push_back(group.c10d_group()->allreduce(tensors));
    });
  for (std::size_t last = works.size(); last-- > 0;) count_failure([&] { works[last]->wait(); });
  std::cout << failed << std::endl;
  return 0;
}

ProcessGroupOptions options_for(const std::string& backend) {
  return {.backend = backend == "mpi" ? Backend::mpi : Backend::gloo, .shared_memory = backend == "memory"};
}

int measure(const JobEnvironment& job, const std::string& backend) {
  at::set_num_threads(1);
  ProcessGroup group = join_group(job, options_for(backend));
  nlohmann::json seconds;
  for (const std::int64_t kib : {64, 1024, 16 * 1024, 64 * 1024}) {
    at::Tensor tensor = at::zeros({kib * 256});
    const int rounds = kib < 16 * 1024 ? 40 : 8;
    constexpr int kWarmUp = 3;
    std::vector<double> times;
    for (int round = -kWarmUp; round < rounds; ++round) {
      group.barrier();
      const auto begin = std::chrono::steady_clock::now();
      group.all_reduce(tensor);
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
      if (round >= 0) times.push_back(taken.count());
    }
    seconds[std::to_string(kib * 1024)] = times;
  }
  group.barrier();
  if (job.rank == 0) std::cout << seconds << std::endl;
  return 0;
}

}  // namespace

int run(const Words& words) {
  const JobEnvironment job = this_rank();
  try {
    const std::string& mode = words.at(0);
    if (mode == "check") return check(job);
    if (mode == "fail") return fail_together(job);
    if (mode == "times") return measure(job, words.at(1));
    throw std::invalid_argument("mpi_collectives check | fail | times mpi|gloo|memory");
  } catch (...) {
    leave(job.rank, describe_failure(std::current_exception()));
  }
}

}  // namespace ddp::trainer::mpi_collectives
