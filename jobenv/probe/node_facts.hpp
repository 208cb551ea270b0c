#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ddp/jobenv/error.hpp"
#include "jobenv/probe/disk_space.hpp"
#include "jobenv/probe/gpu_inventory.hpp"

namespace ddp {

/// ddptrain on one machine.
struct TrainerFacts {
  std::string version = {};                         ///< what it says itself; empty: it does not start
  std::vector<std::string> missing_libraries = {};  ///< that the loader does not find
  std::string problem = {};                         ///< why it does not start; empty: it does

  static void describe(auto& fields, auto& trainer) {
    fields.field("version", trainer.version);
    fields.field("missing_libraries", trainer.missing_libraries);
    fields.field("problem", trainer.problem);
  }
  [[nodiscard]] bool starts() const { return problem.empty(); }
  bool operator==(const TrainerFacts&) const = default;
};

inline constexpr int kMostPort = 65535;

/// The way from a node to the host of rank 0, where head is, too.
struct NetworkFacts {
  std::string address = {};              ///< own end of that way
  std::string interface = {};            ///< that has the address
  int free_port = 0;                     ///< that could be bound there; 0: none
  double clock_offset_seconds = 0;       ///< own clock less the one there
  double clock_uncertainty_seconds = 0;  ///< half of the shortest round trip
  std::string problem = {};              ///< why there is no way; empty: there is

  static void describe(auto& fields, auto& network) {
    fields.field("address", network.address);
    fields.field("interface", network.interface);
    fields.field("free_port", network.free_port, 0, kMostPort);
    fields.field("clock_offset_seconds", network.clock_offset_seconds);
    fields.field("clock_uncertainty_seconds", network.clock_uncertainty_seconds);
    fields.field("problem", network.problem);
  }
  bool operator==(const NetworkFacts&) const = default;
};

/// What one node of a probe says of itself: a line of JSON in the log of its first rank.
struct NodeFacts {
  int node_rank = 0;
  std::string host = {};
  std::string agent_version = {};
  std::string kernel = {};
  std::string libc = {};  ///< the version of glibc
  int cpus = 0;           ///< that the rank may use
  std::uint64_t memory_available_bytes = 0;
  DiskSpace run_root = {};
  DiskSpace temporary = {};         ///< of TMPDIR, or /tmp
  std::string shared_problem = {};  ///< what is wrong with the shared folder; empty: nothing
  NetworkFacts network = {};
  GpuInventory gpus = {};
  std::string visible_gpus = {};  ///< CUDA_VISIBLE_DEVICES
  TrainerFacts trainer = {};
  std::string program_problem = {};  ///< why `command:` would not start there; empty: it would, or is none

  bool operator==(const NodeFacts&) const = default;
};

[[nodiscard]] nlohmann::json to_json(const NodeFacts& facts);
/// Strict, as parse_launch_plan is.
[[nodiscard]] Expected<NodeFacts> parse_node_facts(const nlohmann::json& object);

}  // namespace ddp
