#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace ddp::agent {

/// Which state each file of a folder was in when its bytes were last hashed: owner, mode, size, time of the
/// last write, and inode. A file in that state need not be hashed again. Kept in the folder itself, in a file
/// of mode 0600 that only its owner can have written.
class ContentIndex {
 public:
  /// Of the file that it is kept in.
  static constexpr const char* kName = ".index.json";

  /// One that cannot be read is empty.
  explicit ContentIndex(std::filesystem::path folder);

  /// Whether the file named `sha256` is a file of this user, that nobody else can write to, of `size` bytes
  /// with that hash. Hashes it where its state is not the one on record.
  [[nodiscard]] bool verify(const std::string& sha256, std::uint64_t size);
  /// The file has just been written, and its bytes hashed.
  void add(const std::string& sha256);
  /// If anything has changed. An index that cannot be written costs a hash.
  void save();

 private:
  std::filesystem::path folder_;
  std::map<std::string, std::string> states_;
  bool changed_ = false;
};

}  // namespace ddp::agent
