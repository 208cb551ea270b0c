#include "agreement.hpp"

#include "ddp/jobenv/rank_layout.hpp"

namespace ddp {
namespace {

std::string number(int value) {
  return std::to_string(value);
}

void check_sizes(const JobEnvironment& job, const RankLayout& layout, VariableReader& reader) {
  reader.expect(job.rank < job.world_size,
                "rank " + number(job.rank) + " is not below the world size, " + number(job.world_size));
  reader.expect(layout.world_size() == job.world_size, "the tasks per node, " + layout.render() +
                                                           ", add up to " + number(layout.world_size()) +
                                                           ", the world size is " + number(job.world_size));
  reader.expect(
      job.node_rank < layout.nodes(),
      "node rank " + number(job.node_rank) + " is not below the number of nodes, " + number(layout.nodes()));
  reader.expect(
      job.hostnames.empty() || job.hostnames.size() == job.tasks_per_node.size(),
      std::to_string(job.hostnames.size()) + " host names for " + number(layout.nodes()) + " nodes");
}

void check_place(const JobEnvironment& job, const RankLayout& layout, VariableReader& reader) {
  const int tasks = layout.tasks_on(job.node_rank);
  reader.expect(job.local_world_size == tasks, "local world size " + number(job.local_world_size) +
                                                   ", and node " + number(job.node_rank) + " has " +
                                                   number(tasks) + " tasks");
  const RankPlace place = layout.place(job.rank);
  reader.expect(place.node_rank == job.node_rank && place.local_rank == job.local_rank,
                "rank " + number(job.rank) + " is local rank " + number(job.local_rank) + " of node " +
                    number(job.node_rank) + ", but with block distribution it would be local rank " +
                    number(place.local_rank) + " of node " + number(place.node_rank));
}

void check_node_name(const JobEnvironment& job, VariableReader& reader) {
  if (job.hostnames.empty() || job.node_name.empty()) return;
  const std::string& listed = job.hostnames[static_cast<std::size_t>(job.node_rank)];
  reader.expect(job.node_name == listed, "this node is " + job.node_name + ", and node " +
                                             number(job.node_rank) + " of the list of hosts is " + listed);
}

}  // namespace

void check_agreement(const JobEnvironment& job, VariableReader& reader) {
  const auto layout = RankLayout::make(job.tasks_per_node);
  if (!layout) return reader.expect(false, layout.error().message);
  check_sizes(job, *layout, reader);
  if (reader.failed()) return;
  check_place(job, *layout, reader);
  check_node_name(job, reader);
}

}  // namespace ddp
