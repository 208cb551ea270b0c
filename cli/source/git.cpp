#include "cli/source/git.hpp"

#include <utility>

namespace ddp::cli {
namespace {

/// Of the user's settings, HOME and XDG_CONFIG_HOME lead to all that counts: which files are ignored.
EnvMap environment_of_git(EnvMap user) {
  (void)user.remove_if([](std::string_view name) { return name.starts_with("GIT_"); });
  // git since 2.45 knows the last one: of a partial clone nothing is fetched.
  return user.set("GIT_OPTIONAL_LOCKS", "0")
      .set("GIT_TERMINAL_PROMPT", "0")
      .set("GIT_NO_LAZY_FETCH", "1")
      .set("LC_ALL", "C");
}

}  // namespace

Git::Git(std::filesystem::path tree, const EnvMap& user, CommandRunner& runner)
    : tree_(std::move(tree)), environment_(environment_of_git(user)), runner_(&runner) {}

Git Git::of(const std::filesystem::path& tree) const {
  Git other = *this;
  other.tree_ = tree;
  return other;
}

/// Without a value, core.fsmonitor is off in every version: before 2.36 it names a program.
Expected<CommandResult> Git::ask(const std::vector<std::string>& arguments, const GitLimits& limits) const {
  CommandRequest request{.argv = {"git", "-C", tree_.string(), "--no-pager", "--no-optional-locks", "-c",
                                  "core.fsmonitor=", "-c", "core.hooksPath=/dev/null"},
                         .environment = environment_,
                         .timeout = limits.time,
                         .output_limit = limits.bytes};
  request.argv.insert(request.argv.end(), arguments.begin(), arguments.end());
  return runner_->run(request);
}

std::string explain_git(const CommandResult& result) {
  if (result.end == CommandResult::End::timed_out) return "git gave no answer in time";
  const auto line = result.err.substr(0, result.err.find('\n'));
  return line.empty() ? "git ended with " + std::to_string(result.code) : "git says: " + line;
}

}  // namespace ddp::cli
