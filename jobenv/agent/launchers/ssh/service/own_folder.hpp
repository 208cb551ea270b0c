#pragma once

#include <filesystem>
#include <string>

#include "ddp/jobenv/error.hpp"
#include "jobenv/record/run_folder.hpp"
#include "jobenv/remote/remote_messages.hpp"

namespace ddp::agent {

/// A host's own folder for programs and runs, where it shares none with the submit host:
///
///   id                   tells it from all others
///   content/, programs/  see ProgramStore
///   runs/RUN_ID/         run folders, of mode 0700
///
/// Nobody but this user can write to any of it, or put something else in its place. Blocks.
class OwnFolder {
 public:
  /// Makes the folders, or takes their write permission away from others. ExitCode::preflight_failed where
  /// that is not enough (see make_own_folder). Without a name: a folder in which nothing is kept.
  [[nodiscard]] static Expected<OwnFolder> open(const std::filesystem::path& folder);

  /// Without links.
  [[nodiscard]] const std::filesystem::path& root() const { return root_; }
  /// A text that no other folder has; empty where none can be kept, and without a folder. Made when it is
  /// first asked for.
  [[nodiscard]] std::string id() const;
  /// The folder of a run. ExitCode::not_found: it is not there, or is a link.
  [[nodiscard]] Expected<RunFolder> find_run_folder(const std::string& run_id) const;
  /// The same, which is made if it is not there.
  [[nodiscard]] Expected<RunFolder> make_run_folder(const std::string& run_id) const;
  /// Writes files into the folder of a run, which it makes.
  [[nodiscard]] Expected<std::filesystem::path> write(const remote::WriteRun& request) const;

 private:
  explicit OwnFolder(std::filesystem::path root) : root_(std::move(root)) {}

  std::filesystem::path root_;
};

}  // namespace ddp::agent
