#pragma once

#include <optional>
#include <string>

#include "ddp/jobenv/env_map.hpp"
#include "ddp/jobenv/error.hpp"
#include "jobenv/agent/messages.hpp"
#include "jobenv/record/file_descriptor.hpp"

namespace ddp::agent {

/// How an agent finds its head: set by head for the agents that it starts. None of it reaches a rank.
inline constexpr const char* kHeadEndpoints = "DDPSUBMIT_HEAD";  ///< "address:port,address:port"
inline constexpr const char* kHeadNonce = "DDPSUBMIT_NONCE";
inline constexpr const char* kHeadRunDir = "DDPSUBMIT_RUN_DIR";

/// Tries each address of DDPSUBMIT_HEAD in turn, a few times over, until one knows the nonce: connects, says
/// nonce and `hello`, and waits for the Welcome. Blocks for some seconds an address at most. The error lists
/// what became of each.
[[nodiscard]] Expected<FileDescriptor> connect_to_head(const EnvMap& env, const Hello& hello);

/// What became of one try to reach head where it was.
enum class HeadSight { welcome, silent, gone };
struct HeadAnswer {
  HeadSight sight = HeadSight::silent;
  FileDescriptor socket;  ///< of a welcome
};

/// Tries the one address `endpoint`. `gone`: somebody answers there, and it is not the head of this run.
[[nodiscard]] HeadAnswer look_for_head(const EnvMap& env, const std::string& endpoint, const Hello& hello);

}  // namespace ddp::agent
