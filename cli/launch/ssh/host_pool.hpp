#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/ssh/remote_host.hpp"

namespace ddp::cli {

/// A host, and what answers on it.
struct RemotePlace {
  SshTarget target;
  RemoteAgent agent;
};

/// The connections of one command, one a host, made when they are first wanted and kept. What is done on
/// several hosts is done on all of them at once; the caller waits for the last.
class HostPool {
 public:
  /// `connector` outlives the pool.
  explicit HostPool(HostConnector& connector) : connector_(connector) {}

  /// One result a place, in their order; a place that is among them twice is connected to once.
  [[nodiscard]] std::vector<Expected<RemoteHost*>> connect(const std::vector<RemotePlace>& places);
  [[nodiscard]] std::vector<Expected<RemoteHost*>> connect(const std::vector<SshTarget>& targets,
                                                           const RemoteAgent& agent);
  [[nodiscard]] Expected<RemoteHost*> connect(const RemotePlace& place);
  /// The next one who wants it connects anew.
  void forget(const RemotePlace& place);

 private:
  HostConnector& connector_;
  std::map<std::string, std::unique_ptr<RemoteHost>> hosts_;
};

/// Calls `work` with 0, 1, …, `count` - 1, on as many threads, 128 at a time; all have ended when it returns.
void do_on_all(std::size_t count, const std::function<void(std::size_t index)>& work);

}  // namespace ddp::cli
