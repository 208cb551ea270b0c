#include "jobenv/agent/head/log_link.hpp"

#include <unistd.h>

namespace ddp::agent {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> no_link(const fs::path& link, const std::string& why) {
  return fail(ExitCode::run_failed, "no link to the log of rank 0 at " + link.string() + ": " + why);
}

}  // namespace

Expected<void> save_link(const fs::path& link, const fs::path& log) {
  std::error_code error;
  const auto there = fs::symlink_status(link, error);
  if (fs::exists(there) && !fs::is_symlink(there)) return no_link(link, "there is a file of that name");
  fs::create_directories(link.parent_path(), error);
  if (error) return no_link(link, error.message());
  // Whoever reads the link meanwhile finds the earlier log.
  const fs::path draft = link.string() + ".ddpsubmit-" + std::to_string(getpid());
  fs::create_symlink(log, draft, error);
  if (error) return no_link(link, error.message());
  fs::rename(draft, link, error);
  if (!error) return {};
  std::error_code ignored;
  fs::remove(draft, ignored);
  return no_link(link, error.message());
}

fs::path link_of_stderr(fs::path link) {
  const auto extension = link.extension();
  if (extension == ".out" || extension == ".log" || extension == ".txt")
    return link.replace_extension(".err");
  return link += ".err";
}

}  // namespace ddp::agent
