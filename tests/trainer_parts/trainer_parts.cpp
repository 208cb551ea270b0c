// A part of the trainer without the rest of it, for tests of several ranks and for comparisons with Python.
//
//   trainer_parts PART WORD...   PART: a row of the table below. The file of that name explains its words.
//
// Exits with 1 after a message where the part has thrown.
#include "tests/trainer_parts/parts.hpp"

#include <exception>
#include <functional>
#include <iostream>
#include <map>

#include "ddp/jobenv/env_map.hpp"
#include "ddp/jobenv/rank_contract.hpp"
#include "ddp/trainer/init_process_group.hpp"

namespace ddp::trainer {
namespace {

const std::map<std::string, std::function<int(const Words&)>> kParts = {
    {"checkpoint_shards", checkpoint_shards::run},
    {"disagreement", disagreement::run},
    {"model_bytes", model_bytes::run},
    {"modes", modes::run},
    {"mpi_collectives", mpi_collectives::run},
    {"sharded_optimizer", sharded_optimizer::run},
    {"split_groups", split_groups::run},
    {"sync_batch_norm", sync_batch_norm::run},
};

}  // namespace

JobEnvironment this_rank() {
  return JobEnvironment::from(EnvMap::capture()).value();
}

ProcessGroup join_group(const JobEnvironment& job, ProcessGroupOptions options) {
  if (const auto store = EnvMap::capture().get(kStoreFd)) options.store_descriptor = std::stoi(*store);
  return init_process_group(job, options);
}

}  // namespace ddp::trainer

int main(int argc, char** argv) {
  using namespace ddp::trainer;
  const auto part = kParts.find(argc > 1 ? argv[1] : "");
  if (part == kParts.end()) return std::cerr << "usage: trainer_parts PART WORD...\n", 2;
  try {
    return part->second({argv + 2, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
