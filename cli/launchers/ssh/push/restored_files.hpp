#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/launchers/ssh/push/pushed_contents.hpp"
#include "cli/system/command_runner.hpp"
#include "ddp/jobenv/env_map.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::cli {

/// What a run has written, which was fetched from its hosts, and which another host is to have.
struct RestoredFiles {
  remote::RestoreFiles order;
  PushedContents contents;
  std::string warning = {};  ///< what the run loses, in a line; empty: nothing
};

/// For a first host `name` that is not the one of the run's newest head: the newest checkpoint in `folder`
/// that has all its files, unless the host has one that is as new, and the files of output/ that it has not,
/// or has otherwise. An error if the newest checkpoint is neither here nor there: the run would begin at an
/// older one.
[[nodiscard]] Expected<RestoredFiles> find_restored_files(RemoteHost& host, const std::string& name,
                                                          const RunFolder& folder, const EnvMap& user,
                                                          CommandRunner& runner);

/// Whether the run folder has that file in that state: with its size and its time.
[[nodiscard]] bool is_here(const RunFolder& folder, const remote::HostFile& file);

/// Where the newest head of the run was; empty: there was none.
[[nodiscard]] std::string find_last_host(const RunFolder& folder);

/// From which host each file of output/ was fetched, by path; empty: nothing was.
[[nodiscard]] std::map<std::string, std::string> load_origins(const RunFolder& folder);
[[nodiscard]] Expected<void> save_origins(const RunFolder& folder,
                                          const std::map<std::string, std::string>& origins);

/// The newest checkpoint among the files of a host; nullopt: there is none.
[[nodiscard]] std::optional<std::string> find_newest_checkpoint(const std::vector<remote::HostFile>& files);

}  // namespace ddp::cli
