#pragma once

#include <sys/stat.h>

#include <string>

namespace ddp {

/// Who can write to a file or folder, as its mode says. root always can.
enum class Writers { owner, group, everybody };

/// `path` is for the access control list, which the group's bits of the mode stand for, too. A group that is
/// the owner's alone, as useradd makes one for each user, is the owner.
[[nodiscard]] Writers writers_of(const struct stat& status, const std::string& path);

/// Of root or the effective user, who can change anything in any case.
[[nodiscard]] bool is_ours(uid_t owner);

/// The name, or "uid 12345".
[[nodiscard]] std::string user_name(uid_t user);
/// The name, or "gid 12345".
[[nodiscard]] std::string group_name(gid_t group);

}  // namespace ddp
