#pragma once

#include <span>
#include <string>

#include "cli/launchers/ssh/connection/remote_host.hpp"
#include "cli/launchers/ssh/push/copy_progress.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::cli {

/// How much of the file a broken copy has left here.
[[nodiscard]] std::uint64_t bytes_here(const RunFolder& folder, const remote::HostFile& file);

/// What became of a copy. changed: the host's file is not in the listed state any more.
enum class FileCopy { whole, changed };

/// Copies one file of the run `run_id` from the host `name` to the same path of the folder, where it appears
/// as a whole, and not through a link. A copy that breaks off leaves what has come below `.fetch`, and the
/// next one goes on from there.
[[nodiscard]] Expected<FileCopy> fetch_file(RemoteHost& host, const std::string& name,
                                            const std::string& run_id, const RunFolder& folder,
                                            const remote::HostFile& file, CopyProgress& progress);

/// Removes what broken copies have left, but for parts of these files.
void drop_broken_copies(const RunFolder& folder, std::span<const remote::HostFile> wanted = {});

}  // namespace ddp::cli
