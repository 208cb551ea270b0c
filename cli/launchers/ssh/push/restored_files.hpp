#pragma once

#include "cli/launchers/ssh/push/pushed_contents.hpp"
#include "cli/system/command_runner.hpp"
#include "ddp/jobenv/env_map.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::cli {

/// What a run has written, which was fetched from its hosts, and which another host is to have.
struct RestoredFiles {
  remote::RestoreFiles order;
  PushedContents contents;
};

/// The newest checkpoint in `folder` that has all its files, if the host `name` has none that is as new, and
/// the files of output/, if the host has none there. Most runs have nothing of the kind, and nobody is asked.
[[nodiscard]] Expected<RestoredFiles> find_restored_files(RemoteHost& host, const std::string& name,
                                                          const RunFolder& folder, const EnvMap& user,
                                                          CommandRunner& runner);

/// The newest checkpoint among the files of a host; nullopt: there is none.
[[nodiscard]] std::optional<std::string> find_newest_checkpoint(const std::vector<remote::HostFile>& files);

}  // namespace ddp::cli
