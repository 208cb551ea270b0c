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
  static constexpr const char* kDoc = "The attempt starts without some hosts";
  std::optional<int> attempt = {};
  std::vector<std::string> hosts = {};
  int nodes = 0;
  std::string message = {};

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "number of the attempt"}, attempt);
    fields.always({"hosts", "hosts that are unreachable"}, hosts);
    fields.always({"nodes", "number of nodes that the attempt has"}, nodes);
    fields.always({"message", "the same in words"}, message);
  }
};

struct NodesAwaited {
  static constexpr const char* kName = "nodes_awaited";
  static constexpr const char* kWriter = "head-N";
  static constexpr const char* kDoc = "The attempt waits for hosts whose agents have not come";
  std::optional<int> attempt = {};
  std::vector<std::string> hosts = {};
  int seconds = 0;

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "number of the attempt"}, attempt);
    fields.always({"hosts", "hosts that are awaited"}, hosts);
    fields.always({"seconds", "how long they are awaited from now on"}, seconds);
  }
};

struct NodesLost {
  static constexpr const char* kName = "nodes_lost";
  static constexpr const char* kWriter = "head-N";
  static constexpr const char* kDoc = "The scheduler reports nodes of the job as lost";
  std::optional<int> attempt = {};
  std::vector<std::string> hosts = {};
  std::string message = {};

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "number of the attempt"}, attempt);
    fields.always({"hosts", "lost nodes"}, hosts);
    fields.always({"message", "the same in words"}, message);
  }
};

struct NodesExcluded {
  static constexpr const char* kName = "nodes_excluded";
  static constexpr const char* kWriter = "head-N";
  static constexpr const char* kDoc = "The job excludes nodes that were lost in an earlier start";
  std::optional<int> attempt = {};
  std::vector<std::string> hosts = {};
  std::string message = {};

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "number of the attempt"}, attempt);
    fields.always({"hosts", "excluded nodes"}, hosts);
    fields.always({"message", "the same in words"}, message);
  }
};

struct ExclusionRefused {
  static constexpr const char* kName = "exclusion_refused";
  static constexpr const char* kWriter = "head-N";
  static constexpr const char* kDoc = "The job could not exclude nodes that were lost in an earlier start";
  std::optional<int> attempt = {};
  std::vector<std::string> hosts = {};
  std::string message = {};

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "number of the attempt"}, attempt);
    fields.always({"hosts", "nodes that should have been excluded"}, hosts);
    fields.always({"message", "reason"}, message);
  }
};

}  // namespace ddp::event
