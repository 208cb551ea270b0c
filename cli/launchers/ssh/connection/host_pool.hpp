#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/launchers/ssh/connection/remote_host.hpp"
#include "cli/system/clock.hpp"

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
  /// Both outlive the pool.
  HostPool(HostConnector& connector, Clock& clock) : connector_(connector), clock_(clock) {}

  /// One result a place, in their order; a place that is among them twice is connected to once. One that has
  /// not answered is not tried again for 15 s.
  [[nodiscard]] std::vector<Expected<RemoteHost*>> connect(const std::vector<RemotePlace>& places);
  [[nodiscard]] std::vector<Expected<RemoteHost*>> connect(const std::vector<SshTarget>& targets,
                                                           const RemoteAgent& agent);
  [[nodiscard]] Expected<RemoteHost*> connect(const RemotePlace& place);
  /// The next one who wants it connects anew.
  void forget(const RemotePlace& place);
  /// Forgets it, and takes it for one that has not answered.
  void silence(const RemotePlace& place, const Error& error);

 private:
  struct Silence {
    Error error;
    std::chrono::steady_clock::time_point until;
  };
  [[nodiscard]] bool is_known(const std::string& key) const;

  HostConnector& connector_;
  Clock& clock_;
  std::map<std::string, std::unique_ptr<RemoteHost>> hosts_;
  std::map<std::string, Silence> silent_;
};

/// Calls `work` with 0, 1, …, `count` - 1, on as many threads, 128 at a time; all have ended when it returns.
void do_on_all(std::size_t count, const std::function<void(std::size_t index)>& work);

}  // namespace ddp::cli
