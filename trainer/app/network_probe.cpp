#include "trainer/app/network_probe.hpp"

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "ddp/trainer/init_process_group.hpp"
#include "jobenv/probe/pair_schedule.hpp"
#include "trainer/app/failure.hpp"
#include "trainer/distributed/group/gloo.hpp"
#include "trainer/distributed/group/store.hpp"

namespace ddp::trainer {
namespace {

using std::chrono::duration;
using std::chrono::steady_clock;

using StorePtr = c10::intrusive_ptr<c10d::Store>;

constexpr std::chrono::seconds kPairTimeout{10};
constexpr std::chrono::seconds kGroupTimeout{60};
constexpr std::chrono::seconds kStoreTimeout{200};  // while other nodes' pairs time out, round by round
constexpr int kSmallRepeats = 10;
constexpr int kLargeRepeats = 3;

torch::Tensor ones(std::size_t bytes) {
  return torch::ones({static_cast<std::int64_t>(bytes / sizeof(float))});
}

void all_reduce(c10d::Backend& group, torch::Tensor& tensor) {
  std::vector<torch::Tensor> tensors = {tensor};
  group.allreduce(tensors)->wait();
}

/// Each element must have become the number of ranks.
void expect_sum(const torch::Tensor& sum, int ranks) {
  if (torch::equal(sum, torch::full_like(sum, ranks))) return;
  throw std::runtime_error("the all-reduce gave a wrong sum");
}

/// The best of `repeats`, in seconds, after one that does not count.
double time_all_reduce(c10d::Backend& group, std::size_t bytes, int repeats) {
  double best = std::numeric_limits<double>::infinity();
  for (int repeat = -1; repeat < repeats; ++repeat) {
    auto tensor = ones(bytes);
    const auto start = steady_clock::now();
    all_reduce(group, tensor);
    const double seconds = duration<double>(steady_clock::now() - start).count();
    if (repeat < 0) expect_sum(tensor, group.getSize());
    if (repeat >= 0) best = std::min(best, seconds);
  }
  return best;
}

/// The job as far as two of its nodes are concerned: one rank on each.
JobEnvironment pair_job(JobEnvironment job, const NodePair& pair) {
  job.rank = job.node_rank == pair.low ? 0 : 1;
  job.world_size = 2;
  job.tasks_per_node = {1, 1};
  return job;
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

PairTime time_pair(const StorePtr& store, const JobEnvironment& job, const NodePair& pair) {
  PairTime time{.node = job.node_rank, .peer = job.node_rank == pair.low ? pair.high : pair.low};
  const auto prefix = "pair-" + std::to_string(pair.low) + "-" + std::to_string(pair.high);
  // Given up for good: to destroy a group whose peer does not answer may take for ever.
  auto* const group = new c10::intrusive_ptr<c10d::Backend>();
  try {
    *group = make_gloo(c10::make_intrusive<c10d::PrefixStore>(prefix, store), pair_job(job, pair),
                       {.backend = Backend::gloo, .timeout = kPairTimeout});
    time.small_seconds = time_all_reduce(**group, kSmallBytes, kSmallRepeats);
    time.large_seconds = time_all_reduce(**group, kLargeBytes, kLargeRepeats);
  } catch (...) {
    time.problem = first_line(describe_failure(std::current_exception()).message);
  }
  return time;
}

/// The last of `members` ranks to come to a place sets its key.
void arrive(c10d::Store& store, const std::string& place, int members) {
  if (store.add(place + "-count", 1) == members) store.set(place, std::vector<std::uint8_t>{1});
}

void wait_for_all(c10d::Store& store, const std::string& place, int members) {
  arrive(store, place, members);
  store.wait({place}, kStoreTimeout);
}

/// How many pairs failed, as this node saw them.
int time_pairs(const StorePtr& store, const JobEnvironment& job,
               const std::function<void(const nlohmann::json&)>& print) {
  const int nodes = static_cast<int>(job.tasks_per_node.size());
  int failed = 0;
  const auto rounds = schedule_pairs(nodes);
  for (std::size_t round = 0; round < rounds.size(); ++round) {
    for (const auto& pair : rounds[round]) {
      if (pair.low != job.node_rank && pair.high != job.node_rank) continue;
      const auto time = time_pair(store, job, pair);
      if (!time.problem.empty()) ++failed;
      print(to_json(time));
    }
    wait_for_all(*store, "round-" + std::to_string(round), nodes);
  }
  return failed;
}

GroupTime time_group(const StorePtr& store, const JobEnvironment& job) {
  GroupTime time{.rank = job.rank, .world_size = job.world_size};
  auto* const group = new c10::intrusive_ptr<c10d::Backend>();  // given up, too
  try {
    const auto start = steady_clock::now();
    *group = make_gloo(c10::make_intrusive<c10d::PrefixStore>("all", store), job,
                       {.backend = Backend::gloo, .timeout = kGroupTimeout});
    auto tensor = ones(kSmallBytes);
    all_reduce(**group, tensor);
    time.seconds = duration<double>(steady_clock::now() - start).count();
    expect_sum(tensor, job.world_size);
  } catch (...) {
    time.problem = first_line(describe_failure(std::current_exception()).message);
  }
  return time;
}

}  // namespace

void run_network_probe(const JobEnvironment& job, std::optional<int> store_descriptor,
                       const std::function<void(const nlohmann::json& line)>& print) {
  const StorePtr store = connect_store(
      job, {.backend = Backend::gloo, .timeout = kStoreTimeout, .store_descriptor = store_descriptor});
  int failed = 0;
  if (job.local_rank == 0) failed = time_pairs(store, job, print);
  store->add("failed-pairs", failed);
  wait_for_all(*store, "pairs", job.world_size);
  if (store->add("failed-pairs", 0) == 0) print(to_json(time_group(store, job)));
  arrive(*store, "end", job.world_size);
  if (job.rank == 0) store->wait({"end"}, kStoreTimeout);  // the store goes when nobody needs it any more
}

}  // namespace ddp::trainer
