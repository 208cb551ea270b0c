#include "cli/system/folder_probe.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>

#include "jobenv/record/files/file_descriptor.hpp"
#include "jobenv/record/files/trusted_path.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;

struct FileSystemRow {
  std::uint32_t magic;  ///< statfs(2), and the documents of those that are no part of Linux
  std::string_view name;
  Sharing sharing;
};

constexpr auto kFileSystems = std::to_array<FileSystemRow>({
    {0x00006969, "nfs", Sharing::shared},      {0x0BD00BD0, "lustre", Sharing::shared},
    {0x47504653, "gpfs", Sharing::shared},     {0x19830326, "beegfs", Sharing::shared},
    {0x00C36400, "ceph", Sharing::shared},     {0xFF534D42, "cifs", Sharing::shared},
    {0xFE534D42, "smb2", Sharing::shared},     {0x5346414F, "afs", Sharing::shared},
    {0xAAD7AAEA, "panfs", Sharing::shared},    {0x18031977, "wekafs", Sharing::shared},
    {0x20030528, "orangefs", Sharing::shared}, {0x01161970, "gfs2", Sharing::shared},
    {0x7461636F, "ocfs2", Sharing::shared},    {0x01021994, "tmpfs", Sharing::this_host},
    {0x858458F6, "ramfs", Sharing::this_host}, {0x794C7630, "overlayfs", Sharing::this_host},
    {0x0000EF53, "ext4", Sharing::this_host},  {0x58465342, "xfs", Sharing::this_host},
    {0x9123683E, "btrfs", Sharing::this_host}, {0x2FC12FC1, "zfs", Sharing::this_host},
    {0xF2F52010, "f2fs", Sharing::this_host},  {0x73717368, "squashfs", Sharing::this_host},
});

/// The errno, or 0.
int try_to_write(const fs::path& folder) {
  std::string name = folder / ".ddpsubmit.XXXXXX";
  const FileDescriptor file(mkostemp(name.data(), O_CLOEXEC));
  if (!file.is_open()) return errno;
  return unlink(name.c_str()) == 0 ? 0 : errno;
}

}  // namespace

fs::path existing_part(fs::path path) {
  std::error_code error;
  while (!fs::exists(path, error) && path.has_relative_path()) path = path.parent_path();
  return path;
}

FolderProbe probe_folder(const fs::path& folder) {
  FolderProbe probe;
  probe.existing = existing_part(folder);
  if (const int error = try_to_write(probe.existing); error != 0)
    probe.problem = std::generic_category().message(error);
  if (const auto followed = follow_path(folder, Way::shared); followed) {
    probe.note = followed->note;
  } else {
    probe.exposure = followed.error();
  }
  struct statfs info {};
  if (statfs(probe.existing.c_str(), &info) != 0) return probe;
  const auto magic = static_cast<std::uint32_t>(info.f_type);
  const auto row = std::ranges::find(kFileSystems, magic, &FileSystemRow::magic);
  if (row == kFileSystems.end()) return probe;
  probe.file_system = row->name;
  probe.sharing = row->sharing;
  return probe;
}

}  // namespace ddp::cli
