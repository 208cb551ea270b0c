#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>

#include "ddp/jobenv/error.hpp"
#include "jobenv/remote/remote_messages.hpp"

namespace ddp::agent {

/// A host's own folder for programs and runs, where it shares none with the submit host:
///
///   id                   tells it from all others
///   content/SHA256       files of programs, each once
///   programs/ID/         a program and its libraries: hard links to them
///   runs/RUN_ID/         run folders
///
/// A content or a program folder appears under its name when it is complete. Blocks.
class OwnFolder {
 public:
  explicit OwnFolder(std::filesystem::path root) : root_(std::move(root)) {}

  [[nodiscard]] const std::filesystem::path& root() const { return root_; }
  /// A text that no other folder has; empty where none can be kept, and without a folder. Made when it is
  /// first asked for.
  [[nodiscard]] std::string id() const;
  [[nodiscard]] Expected<remote::ProgramsReady> ready(const remote::ReadyPrograms& request) const;
  /// Takes as many bytes from `source` as the request says, also where it fails to write them.
  [[nodiscard]] Expected<void> keep(const remote::KeepContent& request, std::istream& source) const;
  [[nodiscard]] Expected<std::filesystem::path> write(const remote::WriteRun& request) const;

 private:
  [[nodiscard]] std::filesystem::path content(const std::string& sha256) const;
  [[nodiscard]] Expected<void> link_programs(const remote::ReadyPrograms& request,
                                             const std::filesystem::path& folder) const;

  std::filesystem::path root_;
};

/// What a run has recorded beyond `request.have`. The ledger comes first: what follows is at least as new, so
/// that nothing is missing that it speaks of, if it is written last. Not what ddpsubmit itself has recorded,
/// nor the tensors of checkpoints.
[[nodiscard]] Expected<remote::RunRecords> read_run(const remote::ReadRun& request);

}  // namespace ddp::agent
