#pragma once

#include <string>
#include <vector>

#include "cli/launch/launcher.hpp"
#include "cli/launchers/ssh/connection/remote_host.hpp"
#include "cli/launchers/ssh/push/copy_progress.hpp"

namespace ddp::cli {

/// A host that files of a run are fetched from.
struct FetchPlace {
  std::string name;
  RemoteHost* host;  ///< outlives the fetch
};

/// Brings into the run folder what the hosts have in its place: from the first one, that of head, the newest
/// checkpoint; from all of them the files of output/, and where several have one of the same name, that of
/// the first. What is here already is not copied again. Checks first whether there is room.
[[nodiscard]] Expected<Fetched> fetch_run(const std::vector<FetchPlace>& places, const RunFolder& folder,
                                          CopyProgress& progress);

/// Removes checkpoints that were fetched, but for the two newest.
void drop_old_checkpoints(const RunFolder& folder);

}  // namespace ddp::cli
