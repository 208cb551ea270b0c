#include "cli/import/rank_counts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/import/symbolic_text.hpp"
#include "ddp/jobenv/whole_number.hpp"

namespace ddp::cli {
namespace {

constexpr std::string_view kAddSrun = "write srun before it, so that each node and task starts it";

class RankCounter {
 public:
  RankCounter(const JobLayout& layout, const LaunchLine& line, const LaunchCommand& launch, Errors& errors)
      : layout_(layout), line_(line), launch_(launch), errors_(errors) {}

  RankCounts count() {
    counts_.nodes = layout_.nodes;
    if (line_.nodes) check_nodes(*line_.nodes);
    if (line_.starter == RankStarter::none) {
      counts_.tasks_per_node = layout_.tasks_per_node;
      if (!launch_.is_srun && counts_.nodes.value * counts_.tasks_per_node.value > 1)
        report(launch_.place, "the program is started once, on the first node only", std::string(kAddSrun));
    } else {
      count_processes();
    }
    divide_cpus();
    return counts_;
  }

 private:
  void report(const Place& place, std::string message, std::string advice) {
    errors_.push_back(config_error(place, std::move(message), std::move(advice)));
  }

  [[nodiscard]] std::string comment_on(const PlacedWord& word, std::string_view option) const {
    return fmt::format("line {}: {}={}", word.place.line, option, word.text);
  }

  void check_nodes(const PlacedWord& nodes) {
    const auto number = parse_whole_number(nodes.text);
    if (!number) {
      return report(nodes.place, "the number of nodes varies, or is not known",
                    "write a number; over ssh, fault_tolerance.min_nodes lets a run continue on fewer hosts");
    }
    if (*number == counts_.nodes.value) return;
    if (!layout_.nodes.comment.empty())
      return report(nodes.place,
                    fmt::format("the job has {} nodes, but {} are named here", counts_.nodes.value, *number),
                    "name the same number in both places");
    counts_.nodes = {static_cast<int>(*number), comment_on(nodes, "--nnodes")};
  }

  void count_processes() {
    if (launch_.is_srun && layout_.tasks_per_node.value > 1) {
      return report(launch_.place,
                    fmt::format("srun starts {} of these on each node, and each starts ranks",
                                layout_.tasks_per_node.value),
                    "ask for one task per node: --ntasks-per-node=1");
    }
    if (!launch_.is_srun && layout_.nodes.value > 1)
      return report(launch_.place, "this is started on the first node only", std::string(kAddSrun));
    if (line_.all_ranks) return divide_ranks(*line_.all_ranks);
    if (line_.ranks_per_node) return set_ranks(*line_.ranks_per_node);
    if (line_.starter == RankStarter::accelerate)
      return report(launch_.place, "accelerate chooses the number of processes itself",
                    "add --num_processes=N, the number of ranks on all nodes");
    counts_.tasks_per_node = {1, ""};
  }

  void divide_ranks(const PlacedWord& all) {
    const auto number = parse_whole_number(all.text);
    if (!number || *number == 0 || *number % counts_.nodes.value != 0)
      return report(all.place, "the number of processes is not known, or not a multiple of that of nodes",
                    "write a number");
    counts_.tasks_per_node = {static_cast<int>(*number) / counts_.nodes.value,
                              comment_on(all, "--num_processes")};
  }

  void set_ranks(const PlacedWord& ranks) {
    if (ranks.text == "gpu" || ranks.text == "auto") {
      if (!layout_.gpus_per_node)
        return report(ranks.place, "the number of GPUs of a node is not known",
                      "add #SBATCH --gpus-per-node=N");
      counts_.tasks_per_node = {layout_.gpus_per_node->value, comment_on(ranks, "--nproc-per-node")};
      return;
    }
    const auto number = parse_whole_number(ranks.text);
    if (!number || *number == 0)
      return report(ranks.place, "the number of ranks per node is not known", "write a number, such as 4");
    counts_.tasks_per_node = {static_cast<int>(*number), comment_on(ranks, "--nproc-per-node")};
  }

  /// The CPUs of a task that starts several ranks are divided among them.
  void divide_cpus() {
    if (!layout_.cpus_per_task) return;
    auto cpus = *layout_.cpus_per_task;
    const int ranks = counts_.tasks_per_node.value;
    const int all = cpus.value * layout_.tasks_per_node.value;
    if (line_.starter == RankStarter::none || ranks == 1) {
      counts_.cpus_per_task = cpus;
      return;
    }
    cpus.value = std::max(1, all / ranks);
    cpus.comment += fmt::format(", for {} ranks{}", ranks, all % ranks == 0 ? "" : ", rounded down");
    counts_.cpus_per_task = cpus;
  }

  const JobLayout& layout_;
  const LaunchLine& line_;
  const LaunchCommand& launch_;
  Errors& errors_;
  RankCounts counts_;
};

}  // namespace

RankCounts count_ranks(const JobLayout& layout, const LaunchLine& line, const LaunchCommand& launch,
                       Errors& errors) {
  return RankCounter(layout, line, launch, errors).count();
}

}  // namespace ddp::cli
