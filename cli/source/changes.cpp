#include "cli/source/changes.hpp"

#include <fmt/format.h>

#include <string_view>

#include "cli/source/git.hpp"

namespace ddp::cli {
namespace {

using std::chrono::steady_clock;

constexpr std::string_view kBinaryPatch = "\nGIT binary patch\n";

class ChangeSearch {
 public:
  ChangeSearch(const Git& git, const ChangeLimits& limits)
      : git_(git), limits_(limits), deadline_(steady_clock::now() + limits.time) {}

  SourceChanges run() {
    find_files();
    if (!changes_.files.empty() || !changes_.known) find_diff();
    return std::move(changes_);
  }

 private:
  /// Empty: git could not be asked, and there is a remark.
  std::string ask(const std::string& what, const std::vector<std::string>& arguments, char end_of_item) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline_ - steady_clock::now());
    if (left.count() <= 0) return remark(what + " is missing: git took too long"), std::string();
    auto result = git_.ask(arguments, {.time = left, .bytes = limits_.bytes});
    if (!result) return remark(what + " is missing: " + result.error().message), std::string();
    whole_ = result->succeeded() && !result->cut;  // git may have ended before its last bytes are read
    if (whole_) return std::move(result->out);
    if (result->cut) {
      remark(fmt::format("{} is cut off after {} KiB", what, limits_.bytes >> 10u));
    } else if (result->end == CommandResult::End::timed_out) {
      remark(fmt::format("{} is cut off: git took longer than {} ms", what, limits_.time.count()));
    } else {
      return remark(what + " is missing: " + explain_git(*result)), std::string();
    }
    result->out.resize(result->out.rfind(end_of_item) + 1);  // of none it is 0
    return std::move(result->out);
  }

  void find_files() {
    const auto out = ask("the list of changed files",
                         {"status", "--porcelain", "-z", "--no-renames", "--untracked-files=normal",
                          "--ignore-submodules=dirty"},
                         '\0');
    changes_.known = whole_ || !out.empty();
    for (std::size_t at = 0, end = 0; (end = out.find('\0', at)) != std::string::npos; at = end + 1)
      changes_.files.push_back(out.substr(at, end - at));
  }

  /// A large binary file would leave no room for the changes of the code.
  void find_diff() {
    const auto remarks = changes_.remarks;
    changes_.diff = ask_for_diff("--binary");
    const bool is_cut = !whole_ && !changes_.diff.empty();
    if (!is_cut || changes_.diff.find(kBinaryPatch) == std::string::npos) return;
    changes_.remarks = remarks;
    remark("the diff lacks the contents of binary files, which make it too large: `git apply` refuses it");
    changes_.diff = ask_for_diff("--patch");
  }

  std::string ask_for_diff(const std::string& contents) {
    return ask("the diff",
               {"diff", contents, "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames",
                "--src-prefix=a/", "--dst-prefix=b/", "--ignore-submodules=dirty", "HEAD", "--"},
               '\n');
  }

  void remark(std::string text) { changes_.remarks.push_back(std::move(text)); }

  const Git& git_;
  ChangeLimits limits_;
  steady_clock::time_point deadline_;
  bool whole_ = false;
  SourceChanges changes_;
};

}  // namespace

SourceChanges find_changes(const WorkTree& tree, const EnvMap& user, CommandRunner& runner,
                           const ChangeLimits& limits) {
  SourceChanges none;
  none.remarks.push_back("'" + tree.root.string() + "' is not in a git repository");
  if (tree.kind != TreeKind::git) return none;
  const Git git(tree.root, user, runner);
  return ChangeSearch(git, limits).run();
}

}  // namespace ddp::cli
