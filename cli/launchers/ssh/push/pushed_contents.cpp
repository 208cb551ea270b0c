#include "cli/launchers/ssh/push/pushed_contents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/output/count_text.hpp"

namespace ddp::cli {
namespace {

std::string tell_copy(const std::vector<remote::ProgramFile>& files, const std::string& host) {
  std::uint64_t size = 0;
  for (const auto& file : files) size += file.size;
  const double megabytes = std::max(1.0, std::ceil(static_cast<double>(size) / 1e6));
  return fmt::format("copying {:.0f} MB to {}: {}", megabytes, host, render_count(files.size(), "file"));
}

/// One file for each hash.
Expected<std::vector<remote::ProgramFile>> find_wanted(const std::vector<std::string>& hashes,
                                                       const PushedContents& contents,
                                                       const std::string& host) {
  std::vector<remote::ProgramFile> wanted;
  for (const auto& hash : hashes) {
    const auto file = std::ranges::find(contents.files, hash, &remote::ProgramFile::sha256);
    if (file == contents.files.end())
      return fail(ExitCode::run_failed, host + ": it asks for a file that is not to be copied");
    if (!contents.sources.contains(hash)) {
      return fail(ExitCode::preflight_failed,
                  host + ": it does not have '" + file->name +
                      "' as it was when this run began, and this machine has changed it, too",
                  "start a new run: ddpsubmit run CONFIG");
    }
    wanted.push_back(*file);
  }
  return wanted;
}

}  // namespace

Expected<std::string> push_contents(RemoteHost& host, const std::string& name, const remote::Request& order,
                                    const PushedContents& contents, const PushNote& note) {
  auto ready = ask_for<remote::FilesReady>(host, name, order);
  if (!ready) return tl::unexpected(ready.error());
  const auto wanted = find_wanted(ready->missing, contents, name);
  if (!wanted) return tl::unexpected(wanted.error());
  if (!wanted->empty()) note(tell_copy(*wanted, name));
  for (const auto& file : *wanted) {
    const auto kept = host.ask_with(remote::KeepContent{file.sha256, file.size},
                                    {contents.sources.at(file.sha256), file.size});
    if (!kept) return tl::unexpected(kept.error());
  }
  if (!wanted->empty()) ready = ask_for<remote::FilesReady>(host, name, order);
  if (!ready) return tl::unexpected(ready.error());
  if (!ready->folder.empty()) return ready->folder;
  return fail(ExitCode::run_failed, name + ": the files copied to it are gone");
}

}  // namespace ddp::cli
