#pragma once

#include <optional>
#include <string>
#include <vector>

#include "jobenv/record/events/event_fields.hpp"

/// Events of head, about nodes of its job.
namespace ddp::event {

struct NodesMissing {
  static constexpr const char* kName = "nodes_missing";
  static constexpr const char* kWriter = "head-N";
  static constexpr const char* kDoc = "The attempt continues without some hosts";
  std::optional<int> attempt = {};
  std::vector<std::string> hosts = {};
  int nodes = 0;
  std::string message = {};

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "number of the attempt"}, attempt);
    fields.always({"hosts", "unreachable hosts"}, hosts);
    fields.always({"nodes", "number of nodes that the attempt uses"}, nodes);
    fields.always({"message", "the same as a sentence"}, message);
  }
};

struct NodesLost {
  static constexpr const char* kName = "nodes_lost";
  static constexpr const char* kWriter = "head-N";
  static constexpr const char* kDoc = "The scheduler has lost nodes of the job";
  std::optional<int> attempt = {};
  std::vector<std::string> hosts = {};
  std::string message = {};

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "number of the attempt"}, attempt);
    fields.always({"hosts", "names of these nodes"}, hosts);
    fields.always({"message", "the same as a sentence"}, message);
  }
};

struct NodesExcluded {
  static constexpr const char* kName = "nodes_excluded";
  static constexpr const char* kWriter = "head-N";
  static constexpr const char* kDoc =
      "The scheduler no longer starts the job on nodes that it has lost repeatedly";
  std::optional<int> attempt = {};
  std::vector<std::string> hosts = {};
  std::string message = {};

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "number of the attempt"}, attempt);
    fields.always({"hosts", "names of these nodes"}, hosts);
    fields.always({"message", "the same as a sentence"}, message);
  }
};

struct ExclusionRefused {
  static constexpr const char* kName = "exclusion_refused";
  static constexpr const char* kWriter = "head-N";
  static constexpr const char* kDoc = "Nodes that were lost repeatedly could not be excluded from the job";
  std::optional<int> attempt = {};
  std::vector<std::string> hosts = {};
  std::string message = {};

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "number of the attempt"}, attempt);
    fields.always({"hosts", "names of these nodes"}, hosts);
    fields.always({"message", "why not"}, message);
  }
};

}  // namespace ddp::event
