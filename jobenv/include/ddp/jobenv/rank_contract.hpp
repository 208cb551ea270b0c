#pragma once

/// What a rank and its agent have agreed upon besides the DDPSUBMIT_* block of JobEnvironment: two exit
/// codes, two inherited descriptors and a folder.
namespace ddp {

/// The rank stopped because it was asked to, after the checkpoint that all ranks agreed upon.
inline constexpr int kExitStopped = 75;
/// Another rank has exited: this rank ends only because of that. Never named as the cause if anything else is
/// known.
inline constexpr int kExitPeerLost = 76;

/// Number of the inherited descriptor of the progress page (ddp/jobenv/progress_page.hpp). Every rank of an
/// agent has it.
inline constexpr const char* kProgressFd = "DDPSUBMIT_PROGRESS_FD";
/// Number of the inherited listening socket on which rank 0 of a trainer serves the store. Only rank 0 has
/// it; the rank owns the descriptor from then on.
inline constexpr const char* kStoreFd = "DDPSUBMIT_STORE_FD";
/// The folder for the files of a command: RunFolder::output().
inline constexpr const char* kOutputDir = "DDPSUBMIT_OUTPUT_DIR";
/// The folder in which ddpsubmit was called, on the submit host: LaunchPlan::submit_dir. Set-up lines have
/// it, too.
inline constexpr const char* kSubmitDir = "DDPSUBMIT_SUBMIT_DIR";

}  // namespace ddp
