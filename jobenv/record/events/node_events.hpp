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
  static constexpr const char* kDoc = "The attempt does without some hosts";
  std::optional<int> attempt = {};
  std::vector<std::string> hosts = {};
  int nodes = 0;
  std::string message = {};

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "its number"}, attempt);
    fields.always({"hosts", "those that are unreachable"}, hosts);
    fields.always({"nodes", "how many there are"}, nodes);
    fields.always({"message", "the same in words"}, message);
  }
};

struct NodesLost {
  static constexpr const char* kName = "nodes_lost";
  static constexpr const char* kWriter = "head-N";
  static constexpr const char* kDoc = "The scheduler has given up nodes of the job";
  std::optional<int> attempt = {};
  std::vector<std::string> hosts = {};
  std::string message = {};

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "its number"}, attempt);
    fields.always({"hosts", "those nodes"}, hosts);
    fields.always({"message", "the same in words"}, message);
  }
};

struct NodesExcluded {
  static constexpr const char* kName = "nodes_excluded";
  static constexpr const char* kWriter = "head-N";
  static constexpr const char* kDoc = "The job is kept from nodes that it was lost to before";
  std::optional<int> attempt = {};
  std::vector<std::string> hosts = {};
  std::string message = {};

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "its number"}, attempt);
    fields.always({"hosts", "those nodes"}, hosts);
    fields.always({"message", "the same in words"}, message);
  }
};

struct ExclusionRefused {
  static constexpr const char* kName = "exclusion_refused";
  static constexpr const char* kWriter = "head-N";
  static constexpr const char* kDoc = "The job is not kept from nodes that it was lost to before";
  std::optional<int> attempt = {};
  std::vector<std::string> hosts = {};
  std::string message = {};

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "its number"}, attempt);
    fields.always({"hosts", "those nodes"}, hosts);
    fields.always({"message", "why not"}, message);
  }
};

}  // namespace ddp::event
