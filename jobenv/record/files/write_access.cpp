#include "jobenv/record/files/write_access.hpp"

#include <grp.h>
#include <pwd.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <fstream>
#include <string_view>

namespace ddp {
namespace {

/// A group of the same name as the effective user that has no other members.
bool is_private(gid_t group) {
  const passwd* entry = getpwuid(geteuid());
  if (entry == nullptr || entry->pw_gid != group) return false;
  const std::string user = entry->pw_name;
  const ::group* found = getgrgid(group);
  if (found == nullptr || found->gr_name != user) return false;
  for (char** member = found->gr_mem; *member != nullptr; ++member)
    if (*member != user) return false;
  return true;
}

bool has_access_list(const std::string& path) {
  return lgetxattr(path.c_str(), "system.posix_acl_access", nullptr, 0) > 0;
}

/// In a container without privileges the host's root has no number of its own. There it cannot be told from
/// any other user that has none.
bool is_unmapped(uid_t owner) {
  uid_t overflow = 65534;
  std::ifstream("/proc/sys/kernel/overflowuid") >> overflow;
  if (owner != overflow) return false;
  std::ifstream map("/proc/self/uid_map");
  for (std::uint64_t first = 0, outside = 0, count = 0; map >> first >> outside >> count;)
    if (owner >= first && owner < first + count) return false;
  return map.eof();
}

}  // namespace

Writers writers_of(const struct stat& status, const std::string& path) {
  if ((status.st_mode & S_IWOTH) != 0) return Writers::everybody;
  if ((status.st_mode & S_IWGRP) == 0) return Writers::owner;
  return is_private(status.st_gid) && !has_access_list(path) ? Writers::owner : Writers::group;
}

bool is_ours(uid_t owner) {
  return owner == 0 || owner == geteuid() || is_unmapped(owner);
}

std::string user_name(uid_t user) {
  const passwd* entry = getpwuid(user);
  return entry != nullptr ? entry->pw_name : "uid " + std::to_string(user);
}

std::string group_name(gid_t group) {
  const ::group* entry = getgrgid(group);
  return entry != nullptr ? entry->gr_name : "gid " + std::to_string(group);
}

}  // namespace ddp
