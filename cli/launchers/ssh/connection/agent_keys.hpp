#pragma once

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "cli/launchers/ssh/connection/libssh_api.hpp"
#include "cli/system/pipe.hpp"

namespace ddp::cli {

/// A key that an ssh agent holds.
struct AgentKey {
  std::string blob;  ///< the public key, as ssh sends it
  std::string comment;
};

/// The keys of an ssh agent, of which a session sees one at a time: libssh itself tries all, in the order of
/// the agent, and a host counts each as a failure. Stands between both as an agent of its own, which passes
/// on all but the question for the keys (draft-ietf-sshm-ssh-agent). One thread at a time.
class AgentKeys {
 public:
  /// None where no agent listens. Blocks.
  [[nodiscard]] static std::unique_ptr<AgentKeys> open(const std::string& socket);
  AgentKeys(const AgentKeys&) = delete;
  AgentKeys& operator=(const AgentKeys&) = delete;
  ~AgentKeys();

  [[nodiscard]] const std::vector<AgentKey>& keys() const { return keys_; }
  /// The session's agent is this object, as long as it lives, with `key` alone. False: the machine has no
  /// room for that.
  [[nodiscard]] bool lend(const LibSsh& library, ssh_session session, const AgentKey& key);

 private:
  explicit AgentKeys(FileDescriptor agent) : agent_(std::move(agent)) {}
  [[nodiscard]] bool load();
  void serve();

  FileDescriptor agent_;
  std::vector<AgentKey> keys_;
  SocketPair session_;     ///< `theirs` is closed by the session
  std::string lent_;       ///< the answer to the question for the keys
  std::thread answering_;  ///< works only while the session waits for an answer
};

}  // namespace ddp::cli
