#pragma once

#include "jobenv/agent/launchers/ssh/service/own_folder.hpp"
#include "jobenv/remote/remote_messages.hpp"

namespace ddp::agent {

// The files that programs have written below their run folder on this host: ddpsubmit fetches them, and
// removes them with the run. All of it blocks.

/// The regular files, without following a link; none where the run has no folder here.
[[nodiscard]] Expected<remote::FilesListed> list_files(const OwnFolder& folder,
                                                       const remote::ListFiles& request);

/// The bytes of a file from an offset on, as many as are wanted and at most 32 MiB; none if it is not in the
/// state that the request names, or a link leads to it.
[[nodiscard]] Expected<std::string> read_bytes(const OwnFolder& folder, const remote::SendFile& request);

/// Removes the folder of a run that has no ranks here; one that is not there is no error. Where no run is
/// left, the files of the user in content/ go, too, and parts of copies.
[[nodiscard]] Expected<remote::RunRemoved> remove_run(const OwnFolder& folder,
                                                      const remote::RemoveRun& request);

}  // namespace ddp::agent
