#include "cli/launchers/ssh/push/pushed_contents.hpp"

#include <algorithm>

namespace ddp::cli {
namespace {

Expected<ContentOrder::Part> find_part(const remote::MissingContent& missing, const PushedContents& contents,
                                       const std::string& host) {
  const auto file = std::ranges::find(contents.files, missing.sha256, &remote::ProgramFile::sha256);
  if (file == contents.files.end())
    return fail(ExitCode::run_failed, host + ": it asks for a file that is not to be copied");
  if (const auto source = contents.sources.find(missing.sha256); source != contents.sources.end())
    return ContentOrder::Part{*file, source->second, std::min(missing.have, file->size)};
  return fail(ExitCode::preflight_failed,
              host + ": it does not have '" + file->name +
                  "' as it was when this run began, and this machine has changed it, too",
              "start a new run: ddpsubmit run CONFIG");
}

/// A copy that broke off is not lost.
Error explain_break(Error error) {
  if (error.code == ExitCode::outcome_unknown)
    error.hint = "run the command again: what was copied is kept, and the copy goes on from there";
  return error;
}

Expected<ContentOrder> make_order(const Expected<remote::FilesReady>& ready, const std::string& name,
                                  const remote::Request& request, const PushedContents& contents) {
  if (!ready) return tl::unexpected(ready.error());
  ContentOrder order{request, {}, ready->folder, ready->free};
  for (const auto& missing : ready->missing) {
    auto part = find_part(missing, contents, name);
    if (!part) return tl::unexpected(part.error());
    order.parts.push_back(std::move(*part));
  }
  return order;
}

}  // namespace

std::uint64_t ContentOrder::bytes() const {
  std::uint64_t sum = 0;
  for (const auto& part : parts) sum += part.file.size - part.have;
  return sum;
}

Expected<ContentOrder> order_contents(RemoteHost& host, const std::string& name,
                                      const remote::Request& request, const PushedContents& contents) {
  return make_order(ask_for<remote::FilesReady>(host, name, request), name, request, contents);
}

Expected<ContentOrder> plan_contents(RemoteHost& host, const std::string& name,
                                     const remote::Request& request, const PushedContents& contents) {
  const auto missing = ask_for<remote::FilesReady>(host, name, remote::FindMissing{contents.files});
  return make_order(missing, name, request, contents);
}

Expected<std::string> push_contents(RemoteHost& host, const std::string& name, const ContentOrder& order,
                                    CopyProgress& progress) {
  if (!order.folder.empty()) return order.folder;
  const auto sent = [&](std::uint64_t bytes) { progress.add(name, bytes); };
  for (const auto& [file, source, have] : order.parts) {
    const auto kept = host.ask_with(remote::KeepContent{file.sha256, file.size, have},
                                    {source, file.size - have, have, sent});
    if (!kept) return tl::unexpected(explain_break(kept.error()));
  }
  const auto ready = ask_for<remote::FilesReady>(host, name, order.request);
  if (!ready) return tl::unexpected(ready.error());
  if (!ready->folder.empty()) return ready->folder;
  return fail(ExitCode::run_failed, name + ": the files copied to it are gone");
}

}  // namespace ddp::cli
