#pragma once

#include <string>

#include "ddp/jobenv/env_map.hpp"
#include "ddp/jobenv/error.hpp"
#include "jobenv/agent/protocol/messages.hpp"
#include "jobenv/record/files/file_descriptor.hpp"

namespace ddp::agent {

/// How an agent finds its head: set by head for the agents that it starts. None of it reaches a rank.
inline constexpr const char* kHeadEndpoints = "DDPSUBMIT_HEAD";  ///< "address:port,address:port"
inline constexpr const char* kHeadNonce = "DDPSUBMIT_NONCE";
inline constexpr const char* kHeadRunDir = "DDPSUBMIT_RUN_DIR";

/// What became of a try to reach head; of several tries the last one here tells most.
enum class HeadSight {
  gone,        ///< the port is nobody's
  silent,      ///< nobody answers, for now
  no_welcome,  ///< somebody takes the connection, and says nothing
  denied,      ///< somebody closes it: not the head of this run, or head had no room for one more stranger
  welcome,
};
struct HeadAnswer {
  HeadSight sight = HeadSight::silent;
  FileDescriptor socket;  ///< of a welcome
  std::string why;        ///< there is no welcome; of several addresses a line each
};

/// Tries each address of DDPSUBMIT_HEAD once, until one knows the nonce: connects, says nonce and `hello`,
/// and waits for the Welcome. Blocks for some seconds an address at most. An error only when the environment
/// does not tell where head is.
[[nodiscard]] Expected<HeadAnswer> look_for_head(const EnvMap& env, const Hello& hello);

/// The same for the one address `endpoint`.
[[nodiscard]] HeadAnswer look_for_head_at(const EnvMap& env, const std::string& endpoint, const Hello& hello);

}  // namespace ddp::agent
