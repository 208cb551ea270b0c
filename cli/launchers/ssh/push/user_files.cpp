#include "cli/launchers/ssh/push/user_files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>

#include "cli/launchers/ssh/connection/remote_host.hpp"
#include "cli/launchers/ssh/keys/pushed_paths.hpp"
#include "cli/launchers/ssh/keys/ssh_options.hpp"
#include "jobenv/config/field_reader.hpp"
#include "jobenv/config/utf8.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostPushedFiles = 2'000;
constexpr std::uint64_t kMostPushedBytes = std::uint64_t{1} << 30;

/// Whoever names the folder around them does not mean these.
constexpr std::array<std::string_view, 2> kLeftOut{".git", "__pycache__"};

/// As it is where that cannot be told.
fs::path without_links(const fs::path& path) {
  std::error_code error;
  auto real = fs::weakly_canonical(path, error);
  return error ? path : real;
}

/// Whether `path` is `folder`, or below it. Both are without links.
bool is_inside(const fs::path& path, const fs::path& folder) {
  return std::ranges::mismatch(folder, path).in1 == folder.end();
}

class UserFileSearch {
 public:
  UserFileSearch(const RunSpec& spec, const fs::path& folder)
      : spec_(spec), folder_(without_links(folder)), run_root_(without_links(spec.run_root)) {}

  void run() {
    const auto& items = options_of<SshOptions>(spec_).push;
    for (std::size_t index = 0; index < items.size() && !is_too_much(); ++index) {
      item_ = "ssh." + item_path("push", index);
      const auto name = path_below(items[index]);
      if (!name) continue;  // refused where the file was read
      const auto errors = errors_.size();
      if (!add(*name) && errors_.size() == errors)
        report("'" + *name + "' contains no file to copy", "name files, or a folder that has some");
    }
  }

  [[nodiscard]] tl::expected<std::vector<FoundFile>, Errors> take() {
    if (!errors_.empty()) return tl::unexpected(std::move(errors_));
    std::vector<FoundFile> files;
    for (auto& [name, file] : files_) files.push_back(std::move(file));
    return files;
  }

 private:
  /// Whether there is a file in it.
  bool add(const fs::path& name) {
    const fs::path path = folder_ / name;
    std::error_code error;
    const fs::path real = fs::canonical(path, error);
    struct stat found {};
    if (error || stat(real.c_str(), &found) != 0) return refuse_absent(name);
    if (is_left_out(real)) return false;
    if (!is_inside(real, folder_))
      return report("'" + name.string() + "' leads outside the current folder, to '" + real.string() + "'",
                    "copy what the ranks need into the current folder, or name paths that the hosts have");
    if (has_control_character(name.string()))
      return report(
          "'" + name.string() + "' has a line break, a control character or invalid UTF-8 in its name",
          "rename it");
    if (S_ISDIR(found.st_mode)) return add_folder(name, real);
    if (!S_ISREG(found.st_mode))
      return report("'" + name.string() + "' is not a file or a folder",
                    "name the files that the ranks need");
    if (access(real.c_str(), R_OK) != 0)
      return report("'" + name.string() + "' cannot be read: " + std::strerror(errno), "");
    return add_file(name, found);
  }

  /// Of what a folder holds, not of what an item names. Links count as what they lead to.
  [[nodiscard]] bool is_left_out(const fs::path& real) const {
    if (open_.empty()) return false;
    const auto& item = open_.front();
    if (is_inside(real, run_root_) && !is_inside(item, run_root_)) return true;
    return std::ranges::any_of(real.lexically_relative(item), [](const fs::path& part) {
      return std::ranges::find(kLeftOut, part.string()) != kLeftOut.end();
    });
  }

  bool add_folder(const fs::path& name, const fs::path& real) {
    if (real == run_root_) return refuse_run_root(name);  // the item itself names it
    if (std::ranges::find(open_, real) != open_.end())
      return report("'" + name.string() + "' is a link to a folder that contains it",
                    "name the files that the ranks need");
    std::vector<fs::path> names;
    std::error_code error;
    for (fs::directory_iterator entry(real, error), end; !error && entry != end; entry.increment(error))
      names.push_back(entry->path().filename());
    if (error) return report("'" + name.string() + "' cannot be read: " + error.message(), "");
    open_.push_back(real);
    bool any = false;
    for (const auto& each : names)
      if (!is_too_much()) any = add(name == "." ? each : name / each) || any;
    open_.pop_back();
    return any;
  }

  bool add_file(const fs::path& name, const struct stat& found) {
    const auto size = static_cast<std::uint64_t>(found.st_size);
    const bool is_new =
        files_.try_emplace(name, FoundFile{name, size, static_cast<int>(found.st_mode) & remote::kMaxMode})
            .second;
    if (is_new) bytes_ += size;
    if (!is_too_much()) return true;
    const std::string limit =
        bytes_ > kMostPushedBytes ? "1 GiB" : std::to_string(kMostPushedFiles) + " files";
    return report("ssh.push names more than " + limit,
                  "name only what the ranks need; put data and Python environments on the hosts beforehand");
  }

  [[nodiscard]] bool is_too_much() const {
    return bytes_ > kMostPushedBytes || files_.size() > kMostPushedFiles;
  }

  bool refuse_absent(const fs::path& name) {
    return report("'" + name.string() + "' was not found (looked in " + folder_.string() + ")",
                  "paths of ssh.push start in the current folder");
  }

  bool refuse_run_root(const fs::path& name) {
    return report("'" + name.string() + "' is run_root, the folder of the run folders",
                  "set run_root to another folder, or name the files that the ranks need");
  }

  /// No file was added.
  bool report(std::string message, std::string hint) {
    errors_.push_back(
        {ExitCode::config_invalid, std::move(message), std::move(hint), spec_.origins.mark(item_)});
    return false;
  }

  const RunSpec& spec_;
  fs::path folder_;
  fs::path run_root_;
  std::string item_;            ///< the key that the search is at
  std::vector<fs::path> open_;  ///< the folders around the place that it is at
  std::map<std::string, FoundFile> files_;
  std::uint64_t bytes_ = 0;
  Errors errors_;
};

}  // namespace

tl::expected<std::vector<FoundFile>, Errors> find_user_files(const RunSpec& spec, const fs::path& folder) {
  UserFileSearch search(spec, folder);
  search.run();
  return search.take();
}

}  // namespace ddp::cli
