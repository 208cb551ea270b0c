#include "jobenv/probe/node_facts.hpp"

#include "jobenv/record/json_fields.hpp"

namespace ddp {
namespace {

using nlohmann::json;

constexpr const char* kSchema = "ddpsubmit.probe_node.v1";
constexpr const char* kDiskSchema = "ddpsubmit.probe_disk.v1";
constexpr const char* kNetworkSchema = "ddpsubmit.probe_network.v1";
constexpr const char* kTrainerSchema = "ddpsubmit.probe_trainer.v1";
constexpr int kMostPort = 65535;

json to_json(const DiskSpace& disk) {
  return {{"schema", kDiskSchema},
          {"file_system", disk.file_system},
          {"free_bytes", disk.free_bytes},
          {"total_inodes", disk.total_inodes},
          {"free_inodes", disk.free_inodes}};
}

json to_json(const NetworkFacts& network) {
  return {{"schema", kNetworkSchema},
          {"address", network.address},
          {"interface", network.interface},
          {"free_port", network.free_port},
          {"clock_offset_seconds", network.clock_offset_seconds},
          {"clock_uncertainty_seconds", network.clock_uncertainty_seconds},
          {"problem", network.problem}};
}

json to_json(const TrainerFacts& trainer) {
  return {{"schema", kTrainerSchema},
          {"version", trainer.version},
          {"missing_libraries", trainer.missing_libraries},
          {"problem", trainer.problem}};
}

void read_fields(JsonFields& fields, DiskSpace& disk) {
  fields.read("file_system", disk.file_system);
  fields.read("free_bytes", disk.free_bytes);
  fields.read("total_inodes", disk.total_inodes);
  fields.read("free_inodes", disk.free_inodes);
}

void read_fields(JsonFields& fields, NetworkFacts& network) {
  fields.read("address", network.address);
  fields.read("interface", network.interface);
  fields.read("free_port", network.free_port, 0, kMostPort);
  fields.read("clock_offset_seconds", network.clock_offset_seconds);
  fields.read("clock_uncertainty_seconds", network.clock_uncertainty_seconds);
  fields.read("problem", network.problem);
}

void read_fields(JsonFields& fields, TrainerFacts& trainer) {
  fields.read("version", trainer.version);
  fields.read("missing_libraries", trainer.missing_libraries);
  fields.read("problem", trainer.problem);
}

/// A part of the facts that is an object of its own.
template <class Part>
void read_part(JsonFields& fields, const char* name, const char* schema, Part& part) {
  JsonFields inner(fields.value_of(name), name, schema);
  read_fields(inner, part);
  const auto problem = inner.problem(ExitCode::run_failed);
  fields.expect(!problem, name, problem ? problem->message : "");
}

}  // namespace

json to_json(const NodeFacts& facts) {
  return {{"schema", kSchema},
          {"node_rank", facts.node_rank},
          {"host", facts.host},
          {"agent_version", facts.agent_version},
          {"kernel", facts.kernel},
          {"cpus", facts.cpus},
          {"memory_available_bytes", facts.memory_available_bytes},
          {"run_root", to_json(facts.run_root)},
          {"temporary", to_json(facts.temporary)},
          {"shared_problem", facts.shared_problem},
          {"network", to_json(facts.network)},
          {"gpu_driver", facts.gpus.driver},
          {"gpu_uuids", facts.gpus.uuids},
          {"visible_gpus", facts.visible_gpus},
          {"trainer", to_json(facts.trainer)},
          {"program_problem", facts.program_problem}};
}

Expected<NodeFacts> parse_node_facts(const json& object) {
  JsonFields fields(object, "node facts", kSchema);
  NodeFacts facts;
  fields.read("node_rank", facts.node_rank, 0);
  fields.read("host", facts.host);
  fields.read("agent_version", facts.agent_version);
  fields.read("kernel", facts.kernel);
  fields.read("cpus", facts.cpus, 0);
  fields.read("memory_available_bytes", facts.memory_available_bytes);
  read_part(fields, "run_root", kDiskSchema, facts.run_root);
  read_part(fields, "temporary", kDiskSchema, facts.temporary);
  fields.read("shared_problem", facts.shared_problem);
  read_part(fields, "network", kNetworkSchema, facts.network);
  fields.read("gpu_driver", facts.gpus.driver);
  fields.read("gpu_uuids", facts.gpus.uuids);
  fields.read("visible_gpus", facts.visible_gpus);
  read_part(fields, "trainer", kTrainerSchema, facts.trainer);
  fields.read("program_problem", facts.program_problem);
  if (auto problem = fields.problem(ExitCode::run_failed)) return tl::unexpected(std::move(*problem));
  return facts;
}

}  // namespace ddp
