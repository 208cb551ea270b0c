#pragma once

#include "cli/commands/command.hpp"
#include "cli/launch/start/start_run.hpp"
#include "jobenv/record/files/file_descriptor.hpp"

namespace ddp::cli {

/// The options of the verbs that start a run.
inline constexpr Option kFollowOption{"--follow", "",
                                      "wait until the run ends, and print the output of its ranks"};
inline constexpr Option kStdinOption{
    "--stdin", "", "rank 0 reads the stdin of ddpsubmit; on this machine, if the run is followed"};
inline constexpr Option kDetachOption{"--detach", "", "print the run id and return at once"};
inline constexpr Option kNoPreflightOption{"--no-preflight", "",
                                           "skip the checks of this machine or the cluster before the start"};

inline constexpr Option kAcceptHostKeysOption{
    "--accept-new-host-keys", "", "accept the key of an ssh host that is seen for the first time"};

struct StartOrder {
  RunSpec spec;
  RunPlace place;
  FolderKind folder_kind = FolderKind::fresh;
  FileDescriptor lock = {};                 ///< of an existing folder; let go when the run is submitted
  std::string_view schema;                  ///< of the answer
  std::vector<int> points = {};             ///< of a sweep: those that spec.points are; empty: all of them
  std::string after = {};                   ///< of a sweep: the job that has to end first
  std::vector<int> shown_local_ranks = {};  ///< whose output is printed; empty: of all
};

/// Checks, writes and submits a run, and stays with it as the options or the launcher's habit say.
[[nodiscard]] Outcome start_and_follow(StartOrder order, const Arguments& arguments, Context& context);

}  // namespace ddp::cli
