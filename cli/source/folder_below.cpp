#include "cli/source/folder_below.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

namespace ddp::cli {

int FolderBelow::open(const std::filesystem::path& name) {
  if (folder_.is_open() && name == name_) return folder_.get();
  constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
  FileDescriptor folder(::open(root_.c_str(), kFolder));
  for (const auto& part : name) {
    if (!folder.is_open()) return -1;
    if (missing_ == MissingFolders::make && mkdirat(folder.get(), part.c_str(), 0777) != 0 && errno != EEXIST)
      return -1;
    folder = FileDescriptor(openat(folder.get(), part.c_str(), kFolder | O_NOFOLLOW));
  }
  if (!folder.is_open()) return -1;
  folder_ = std::move(folder);
  name_ = name;
  return folder_.get();
}

}  // namespace ddp::cli
