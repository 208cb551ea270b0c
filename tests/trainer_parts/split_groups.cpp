// One rank of a test, of four: groups of two of them, once by halves and once by turns. Prints what differs.
//
//   split_groups check memory|gloo|mpi   sums and gathers in both groups
//   split_groups many memory|gloo|mpi    makes more groups than MPI has room for, one after the other
//   split_groups loop memory|gloo|mpi    sums in both groups in turns until a rank is missing; first says
//                                        "looping"
#include <ATen/ATen.h>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include <iostream>
#include <stdexcept>
#include <string>

#include "tests/trainer_parts/parts.hpp"
#include "trainer/app/failure.hpp"
#include "trainer/app/last_words.hpp"
#include "trainer/shm/shared_memory_gloo.hpp"

namespace ddp::trainer::split_groups {
namespace {

using RanksOfGroup = std::vector<int>;

class Checks {
 public:
  void expect(bool good, const std::string& what) {
    if (good) return;
    std::cout << what << '\n';
    failed_ = true;
  }
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  bool failed_ = false;
};

RanksOfGroup half_of(int rank) {
  return rank < 2 ? RanksOfGroup{0, 1} : RanksOfGroup{2, 3};
}

/// In the opposite order.
RanksOfGroup turn_of(int rank) {
  return rank % 2 == 0 ? RanksOfGroup{2, 0} : RanksOfGroup{3, 1};
}

bool shares_memory(ProcessGroup& group) {
  return static_cast<bool>(find_shared_memory(*group.c10d_group()));
}

/// `ranks`, of `world`, are those of `group`.
void check_group(ProcessGroup& group, const ProcessGroup& world, const RanksOfGroup& ranks, Checks& checks) {
  const std::string name = std::to_string(ranks[0]) + " and " + std::to_string(ranks[1]);
  checks.expect(group.size() == 2, name + ": the size");
  checks.expect(ranks.at(static_cast<std::size_t>(group.rank())) == world.rank(), name + ": the rank");
  torch::Tensor sum = at::full({5}, 1 << world.rank(), at::kFloat);
  group.all_reduce(sum);
  checks.expect(sum.eq((1 << ranks[0]) + (1 << ranks[1])).all().item<bool>(), name + ": the sum");
  const auto gathered = group.all_gather(at::full({1}, world.rank(), at::kLong));
  for (std::size_t place = 0; place < ranks.size(); ++place) {
    checks.expect(gathered.at(place).item<std::int64_t>() == ranks[place], name + ": the order");
  }
  torch::Tensor first = at::full({1}, world.rank(), at::kLong);
  group.broadcast(first);
  checks.expect(first.item<std::int64_t>() == ranks[0], name + ": the broadcast");
  torch::Tensor parts = at::arange(4, at::kFloat) * (world.rank() + 1);
  torch::Tensor part = at::zeros({2});
  group.c10d_group()->_reduce_scatter_base(part, parts, {})->wait();
  const torch::Tensor whole = at::arange(4, at::kFloat) * (ranks[0] + ranks[1] + 2);
  checks.expect(part.equal(whole.narrow(0, 2L * group.rank(), 2)), name + ": the reduce-scatter");
  group.c10d_group()->_allgather_base(parts, part, {})->wait();
  checks.expect(parts.equal(whole), name + ": the all-gather");
}

void check_refusals(ProcessGroup& world, Checks& checks) {
  const int other = (world.rank() + 1) % 4;
  for (const RanksOfGroup& wrong :
       {RanksOfGroup{}, RanksOfGroup{other}, RanksOfGroup{world.rank(), 4}, RanksOfGroup{world.rank(), -1},
        RanksOfGroup{world.rank(), world.rank()}}) {
    try {
      (void)world.split(wrong);
      checks.expect(false, "a wrong list was accepted");
    } catch (const std::invalid_argument&) {
    }
  }
}

int check(ProcessGroup& world, bool memory) {
  Checks checks;
  check_refusals(world, checks);
  {
    const int rank = world.rank();
    ProcessGroup halves = world.split(half_of(rank));
    ProcessGroup turns = world.split(turn_of(rank));
    ProcessGroup again = world.split(half_of(rank));
    ProcessGroup alone = halves.split({halves.rank()});
    for (int round = 0; round < 3; ++round) {
      check_group(halves, world, half_of(rank), checks);
      check_group(turns, world, turn_of(rank), checks);
      check_group(again, world, half_of(rank), checks);
    }
    checks.expect(shares_memory(halves) == memory && shares_memory(turns) == memory, "the shared memory");
    torch::Tensor own = at::full({1}, rank, at::kLong);
    alone.all_reduce(own);
    checks.expect(alone.size() == 1 && own.item<std::int64_t>() == rank, "the group of one");
    world.barrier();
  }
  torch::Tensor all = at::ones({1});
  world.all_reduce(all);
  checks.expect(all.item<float>() == 4, "the group of all");
  world.barrier();
  return checks.failed() ? 1 : 0;
}

int make_many(ProcessGroup& world) {
  constexpr int kMoreThanMpiHasRoomFor = 2200;
  for (int number = 0; number < kMoreThanMpiHasRoomFor; ++number) (void)world.split(half_of(world.rank()));
  world.barrier();
  return 0;
}

[[noreturn]] void loop(ProcessGroup& world) {
  ProcessGroup halves = world.split(half_of(world.rank()));
  ProcessGroup turns = world.split(turn_of(world.rank()));
  for (std::int64_t round = 0;; ++round) {
    torch::Tensor sum = at::ones({3});
    halves.all_reduce(sum);
    turns.all_reduce(sum);
    if (round == 0) std::cout << "looping" << std::endl;
  }
}

}  // namespace

int run(const Words& words) {
  if (words.size() != 2) throw std::invalid_argument("split_groups check|many|loop memory|gloo|mpi");
  const std::string& mode = words[0];
  const std::string& way = words[1];
  const JobEnvironment job = this_rank();
  try {
    ProcessGroup world = join_group(
        job, {.backend = way == "mpi" ? Backend::mpi : Backend::gloo, .shared_memory = way == "memory"});
    if (mode == "loop") loop(world);
    if (mode == "many") return make_many(world);
    return check(world, way == "memory");
  } catch (...) {
    leave(job.rank, describe_failure(std::current_exception()));
  }
}

}  // namespace ddp::trainer::split_groups
