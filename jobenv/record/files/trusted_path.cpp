#include "jobenv/record/files/trusted_path.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include "jobenv/record/files/file_descriptor.hpp"
#include "jobenv/record/files/write_access.hpp"

namespace ddp {
namespace {

namespace fs = std::filesystem;

/// As the kernel's own limit.
constexpr int kMostLinks = 40;
constexpr std::size_t kLongestLink = 4096;

/// What is done where a part is not there.
enum class Missing { stop, make };

struct Part {
  FileDescriptor file;  ///< O_PATH
  fs::path path;
  struct stat status {};
};

tl::unexpected<Error> refuse_errno(const std::string& what, const fs::path& path, int error) {
  return fail_errno(ExitCode::preflight_failed, what + " '" + path.string() + "'", error);
}

std::string tell_owner(const Part& part) {
  return "'" + part.path.string() + "' belongs to " + user_name(part.status.st_uid) +
         ", who could put other files there";
}

std::string tell_writers(const Part& part, Writers writers) {
  const bool all = writers == Writers::everybody;
  return (all ? "every user" : "the group " + group_name(part.status.st_gid)) + " can write to '" +
         part.path.string() + "', and could " +
         (S_ISDIR(part.status.st_mode) ? "put other files there" : "change it");
}

tl::unexpected<Error> refuse_owner(const Part& part) {
  return fail(ExitCode::preflight_failed, tell_owner(part), "choose a folder of your own");
}

tl::unexpected<Error> refuse_writers(const Part& part, Writers writers) {
  const std::string mode = writers == Writers::everybody ? "o-w" : "g-w";
  return fail(ExitCode::preflight_failed, tell_writers(part, writers),
              "take that permission away (chmod " + mode + " '" + part.path.string() +
                  "'), or choose another folder");
}

class Walk {
 public:
  Walk(Way way, Missing missing) : way_(way), missing_(missing) {}

  /// All of it but its end is judged.
  Expected<void> follow(const fs::path& path);
  /// Judges the end as one that leads further.
  Expected<void> judge_end();
  [[nodiscard]] const Part& end() const { return parts_.back(); }
  [[nodiscard]] const std::string& note() const { return note_; }

 private:
  void expect(const fs::path& path);
  Expected<void> enter_root();
  Expected<bool> enter(const std::string& name);
  Expected<void> follow_link(const Part& link);
  [[nodiscard]] int open_part(const std::string& name, Part& part) const;

  Way way_;
  Missing missing_;
  std::vector<Part> parts_;            // from the root to where it stands
  std::vector<std::string> expected_;  // the next name is the last
  std::string note_;
  int links_ = 0;
};

void Walk::expect(const fs::path& path) {
  std::vector<std::string> names;
  for (const auto& name : path.relative_path()) names.push_back(name);
  expected_.insert(expected_.end(), names.rbegin(), names.rend());
}

Expected<void> Walk::enter_root() {
  parts_.clear();
  Part root{FileDescriptor(open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)), "/"};
  if (!root.file.is_open() || fstat(root.file.get(), &root.status) != 0)
    return refuse_errno("cannot open", "/", errno);
  parts_.push_back(std::move(root));
  return {};
}

Expected<void> Walk::follow(const fs::path& path) {
  expect(fs::absolute(path));
  if (auto entered = enter_root(); !entered) return entered;
  while (!expected_.empty()) {
    const std::string name = std::exchange(expected_.back(), {});
    expected_.pop_back();
    if (name.empty() || name == ".") continue;
    if (name == "..") {
      if (parts_.size() > 1) parts_.pop_back();
      continue;
    }
    if (auto judged = judge_end(); !judged) return judged;
    const auto entered = enter(name);
    if (!entered) return tl::unexpected(entered.error());
    if (!*entered) return {};
  }
  return {};
}

Expected<void> Walk::judge_end() {
  const Part& part = parts_.back();
  const Writers writers = writers_of(part.status, part.path);
  const bool sticky = S_ISDIR(part.status.st_mode) && (part.status.st_mode & S_ISVTX) != 0;
  if (!is_ours(part.status.st_uid)) {
    if (way_ == Way::own) return refuse_owner(part);
    note_ = tell_owner(part);
  }
  if (writers == Writers::owner || sticky) return {};
  if (writers == Writers::everybody || way_ == Way::own) return refuse_writers(part, writers);
  note_ = tell_writers(part, writers);
  return {};
}

/// The errno, or 0. Where a file system is mounted as soon as somebody enters it, it is entered first.
int Walk::open_part(const std::string& name, Part& part) const {
  const int above = end().file.get();
  struct stat ignored {};
  (void)fstatat(above, (name + "/.").c_str(), &ignored, 0);
  part.path = end().path / name;
  part.file = FileDescriptor(openat(above, name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  return part.file.is_open() && fstat(part.file.get(), &part.status) == 0 ? 0 : errno;
}

/// False: it is not there.
Expected<bool> Walk::enter(const std::string& name) {
  Part part;
  int error = open_part(name, part);
  if (error == ENOENT) {
    if (missing_ == Missing::stop) return false;
    const mode_t mode = way_ == Way::own ? 0700 : 0775;
    if (mkdirat(end().file.get(), name.c_str(), mode) != 0 && errno != EEXIST)
      return refuse_errno("cannot create", part.path, errno);
    error = open_part(name, part);
  }
  if (error != 0) return refuse_errno("cannot open", part.path, error);
  if (S_ISLNK(part.status.st_mode)) return follow_link(part).map([] { return true; });
  parts_.push_back(std::move(part));
  return true;
}

Expected<void> Walk::follow_link(const Part& link) {
  const bool judged = way_ == Way::own || expected_.empty();  // the last part is used as one's own
  if (judged && !is_ours(link.status.st_uid)) return refuse_owner(link);
  if (++links_ > kMostLinks) return refuse_errno("cannot follow", link.path, ELOOP);
  std::string target(kLongestLink, '\0');
  const ssize_t size = readlinkat(link.file.get(), "", target.data(), target.size());
  if (size < 0) return refuse_errno("cannot read", link.path, errno);
  target.resize(static_cast<std::size_t>(size));
  expect(target);
  return target.starts_with('/') ? enter_root() : Expected<void>{};
}

/// An O_PATH descriptor cannot change a mode.
Expected<void> tighten(const Part& part, mode_t most) {
  const mode_t mode = part.status.st_mode & ~S_IFMT;
  const mode_t wanted = mode & (S_ISUID | S_ISGID | S_ISVTX | most);
  if (mode == wanted) return {};
  const FileDescriptor folder(openat(part.file.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.is_open() && fchmod(folder.get(), wanted) == 0) return {};
  return refuse_errno("cannot change the mode of", part.path, errno);
}

Expected<TrustedPath> follow(const fs::path& path, Walk walk) {
  if (auto followed = walk.follow(path); !followed) return tl::unexpected(followed.error());
  if (auto judged = walk.judge_end(); !judged) return tl::unexpected(judged.error());
  return TrustedPath{walk.end().path, walk.note()};
}

}  // namespace

Expected<TrustedPath> follow_path(const fs::path& path, Way way) {
  return follow(path, Walk(way, Missing::stop));
}

Expected<OwnPath> make_own_folder(const fs::path& path, mode_t most, Way way) {
  Walk walk(way, Missing::make);
  if (auto followed = walk.follow(path); !followed) return tl::unexpected(followed.error());
  const Part& folder = walk.end();
  if (!S_ISDIR(folder.status.st_mode)) return refuse_errno("cannot use", folder.path, ENOTDIR);
  if (folder.status.st_uid != geteuid()) return refuse_owner(folder);
  if (auto tightened = tighten(folder, most); !tightened) return tl::unexpected(tightened.error());
  return OwnPath{folder.path, (folder.status.st_mode & (S_IWGRP | S_IWOTH)) != 0};
}

Expected<TrustedPath> make_shared_folder(const fs::path& path) {
  return follow(path, Walk(Way::shared, Missing::make));
}

}  // namespace ddp
