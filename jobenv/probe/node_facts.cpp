#include "jobenv/probe/node_facts.hpp"

#include "jobenv/record/fields/object_form.hpp"

namespace ddp {
namespace {

constexpr const char* kSchema = "ddpsubmit.probe_node.v1";
constexpr ObjectForm<DiskSpace> kDiskForm = {"disk", "ddpsubmit.probe_disk.v1"};
constexpr ObjectForm<NetworkFacts> kNetworkForm = {"network", "ddpsubmit.probe_network.v1"};
constexpr ObjectForm<TrainerFacts> kTrainerForm = {"trainer", "ddpsubmit.probe_trainer.v1"};

constexpr auto describe_facts = [](auto& fields, auto& facts) {
  fields.field("node_rank", facts.node_rank, 0);
  fields.field("host", facts.host);
  fields.field("agent_version", facts.agent_version);
  fields.field("kernel", facts.kernel);
  fields.field("libc", facts.libc);
  fields.field("cpus", facts.cpus, 0);
  fields.field("memory_available_bytes", facts.memory_available_bytes);
  fields.field("run_root", facts.run_root, kDiskForm);
  fields.field("temporary", facts.temporary, kDiskForm);
  fields.field("shared_problem", facts.shared_problem);
  fields.field("network", facts.network, kNetworkForm);
  fields.field("gpu_driver", facts.gpus.driver);
  fields.field("gpu_uuids", facts.gpus.uuids);
  fields.field("visible_gpus", facts.visible_gpus);
  fields.field("trainer", facts.trainer, kTrainerForm);
  fields.field("program_problem", facts.program_problem);
};

}  // namespace

nlohmann::json to_json(const NodeFacts& facts) {
  return write_object(kSchema, facts, describe_facts);
}

Expected<NodeFacts> parse_node_facts(const nlohmann::json& object) {
  return read_object<NodeFacts>({object, "node facts", kSchema}, ExitCode::run_failed, describe_facts);
}

}  // namespace ddp
