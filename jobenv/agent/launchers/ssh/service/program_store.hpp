#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "ddp/jobenv/error.hpp"
#include "jobenv/remote/remote_messages.hpp"

namespace ddp::agent {

/// The programs and files of the user that were copied to a host:
///
///   content/SHA256        their contents, each once, with ContentIndex
///   content/.part.SHA256  what has arrived of a content whose copy was broken off
///   programs/ID/          a program and its libraries: hard links to them
///
/// A content or a program folder appears under its name when it is complete. Blocks.
class ProgramStore {
 public:
  /// In an OwnFolder. Empty: nothing can be kept.
  explicit ProgramStore(std::filesystem::path root) : root_(std::move(root)) {}

  /// Which contents are missing, and how much room there is.
  [[nodiscard]] Expected<remote::FilesReady> look(const remote::FindMissing& request) const;
  /// The folder of a program whose files all have their hashes, or which of them are missing: one that is
  /// damaged, or that others can write to, is.
  [[nodiscard]] Expected<remote::FilesReady> ready(const remote::ReadyPrograms& request) const;
  /// The same for files of the user, which are copied below `folder`: their modes differ, and ranks may
  /// change them. One that is there is replaced. Links are made when all files are there.
  [[nodiscard]] Expected<remote::FilesReady> place(const remote::PlaceFiles& request,
                                                   const std::filesystem::path& folder) const;
  /// The same for files that the run wrote on another host: their contents are copied below `folder`, large
  /// ones moved.
  [[nodiscard]] Expected<remote::FilesReady> restore(const remote::RestoreFiles& request,
                                                     const std::filesystem::path& folder) const;
  /// Takes as many bytes from `source` as the request says, also where it fails to write them. What came
  /// before the source ended stays, for a request that goes on from there. Refuses bytes that have another
  /// hash.
  [[nodiscard]] Expected<void> keep(const remote::KeepContent& request, std::istream& source) const;

 private:
  [[nodiscard]] std::filesystem::path contents() const { return root_ / "content"; }
  /// An answer without a folder: what is missing, and how much room there is.
  [[nodiscard]] Expected<remote::FilesReady> find_missing(
      const std::vector<remote::ProgramFile>& files) const;
  [[nodiscard]] Expected<remote::FilesReady> find_missing(const std::vector<remote::UserFile>& files) const;
  [[nodiscard]] bool is_linked(const remote::ReadyPrograms& request,
                               const std::filesystem::path& folder) const;
  [[nodiscard]] Expected<void> link(const remote::ReadyPrograms& request,
                                    const std::filesystem::path& folder) const;
  [[nodiscard]] Expected<void> copy(const remote::UserFile& user, const std::filesystem::path& folder) const;
  [[nodiscard]] bool is_worth_a_move(const remote::ProgramFile& file) const;
  [[nodiscard]] Expected<void> move(const remote::UserFile& user, const std::filesystem::path& folder) const;
  [[nodiscard]] Expected<void> write(const remote::KeepContent& request, std::istream& source,
                                     const std::filesystem::path& part) const;

  std::filesystem::path root_;
};

}  // namespace ddp::agent
