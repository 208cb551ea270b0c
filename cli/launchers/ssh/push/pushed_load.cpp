#include "cli/launchers/ssh/push/pushed_load.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/launch/plan/job_base_environment.hpp"
#include "cli/launchers/ssh/push/pushed_program.hpp"
#include "cli/launchers/ssh/push/restored_files.hpp"
#include "cli/launchers/ssh/push/train_paths.hpp"
#include "cli/output/count_text.hpp"
#include "cli/output/size_text.hpp"
#include "cli/spec/render_spec.hpp"
#include "jobenv/record/files/durable_file.hpp"

namespace ddp::cli {

Expected<PushedLoad> collect_load(const LaunchRequest& request, const PushedAgent& agent,
                                  const LauncherSeams& seams) {
  PushedLoad load{.agent = agent, .program = {}, .package = {}, .files = {}};
  auto& runner = seams.system.runner;
  auto files = collect_files(request, seams.submitter, runner);
  if (!files) return tl::unexpected(files.error());
  load.files = std::move(*files);
  if (request.plan.program != ProgramKind::trainer) {
    auto package = collect_python_package(std::filesystem::path(request.plan.agent).parent_path(),
                                          seams.submitter, runner);
    if (!package) return tl::unexpected(package.error());
    load.package = std::move(*package);
    return load;
  }
  auto program =
      collect_program(request.plan.argv.front(), with_libraries(request.environment, request.plan.libraries),
                      seams.submitter, runner);
  if (!program) return tl::unexpected(program.error());
  load.program = std::move(*program);
  return load;
}

std::uint64_t HostLoad::bytes() const {
  std::uint64_t sum = 0;
  for (const auto& order : {program, package, files, restored}) sum += order ? order->bytes() : 0;
  return sum;
}

void announce_copy(const HostLoad& wanted, const std::string& name, CopyProgress& progress) {
  std::uint64_t bytes = 0;
  std::size_t files = 0;
  for (const auto& order : {wanted.program, wanted.files, wanted.restored}) {
    bytes += order ? order->bytes() : 0;
    files += order ? order->parts.size() : 0;
  }
  if (files == 0) return;
  progress.expect(name, bytes);
  progress.say(
      fmt::format("copying {} to {}: {}", render_file_size(bytes), name, render_count(files, "file")));
}

Expected<HostLoad> order_load(RemoteHost& host, const std::string& name, const LaunchRequest& request,
                              const PushedLoad& load, RunPart part, const LauncherSeams& seams) {
  const auto& libc = host.greeting().libc;
  if (is_older_version(libc, load.program.libc))
    return fail(ExitCode::preflight_failed,
                fmt::format("{}: its C library is glibc {}, and ddptrain with its LibTorch needs {}", name,
                            libc, load.program.libc),
                "use hosts with a newer system, or train.libtorch: a LibTorch that was built for older ones");
  HostLoad wanted;
  const auto order = [&](std::optional<ContentOrder>& place, const remote::Request& what,
                         const PushedContents& contents) -> Expected<void> {
    if (contents.files.empty()) return {};
    auto made = order_contents(host, name, what, contents);
    if (!made) return tl::unexpected(made.error());
    place = std::move(*made);
    return {};
  };
  Expected<RestoredFiles> restored;
  if (part == RunPart::head)
    restored = find_restored_files(host, name, request.folder, seams.submitter, seams.system.runner);
  if (!restored) return tl::unexpected(restored.error());
  auto ordered = order(wanted.program, remote::ReadyPrograms{load.program.files}, load.program);
  if (ordered) ordered = order(wanted.package, remote::ReadyPrograms{load.package.files}, load.package);
  if (ordered) ordered = order(wanted.files, load.files.order, load.files.contents);
  if (!ordered) return tl::unexpected(ordered.error());
  wanted.warning = restored->warning;
  if (restored->contents.files.empty()) return wanted;
  auto planned = plan_contents(host, name, restored->order, restored->contents);
  if (!planned) return tl::unexpected(planned.error());
  wanted.restored = std::move(*planned);
  return wanted;
}

/// Files of the user are copied once more, into the run folder, which has records and logs besides.
std::optional<Error> check_room(const RemoteHost& host, const std::string& name, const HostLoad& wanted,
                                const PushedLoad& load) {
  constexpr std::uint64_t kRecords = 1u << 20;
  std::optional<std::uint64_t> free;
  for (const auto& order : {wanted.program, wanted.package, wanted.files, wanted.restored})
    if (order) free = std::min(free.value_or(order->free), order->free);
  std::uint64_t needed = wanted.bytes() + kRecords;
  if (wanted.files && !wanted.files->parts.empty())
    for (const auto& file : load.files.contents.files) needed += file.size;
  if (!free || needed <= *free) return std::nullopt;
  return Error{ExitCode::preflight_failed,
               fmt::format("{}: '{}' has too little room: {} are needed, {} are free", name,
                           host.greeting().folder, render_file_size(needed), render_file_size(*free)),
               "remove old runs (ddpsubmit prune), or set ssh.push_folder to a folder on another disk"};
}

Expected<std::string> push_load(RemoteHost& host, const std::string& name, const LaunchRequest& request,
                                const PushedLoad& load, const HostLoad& wanted, RunPart part,
                                CopyProgress& progress) {
  const auto push = [&](const std::optional<ContentOrder>& order) -> Expected<std::string> {
    return order ? push_contents(host, name, *order, progress) : std::string();
  };
  auto program = push(wanted.program);
  if (!program) return program;
  auto plan = plan_for_host(request.plan, host.greeting().folder, load.agent, *program);
  if (auto folder = push(wanted.package); !folder)
    return folder;
  else if (!folder->empty())
    plan.python_folder = *folder;
  if (auto folder = push(wanted.files); !folder)
    return folder;
  else if (!folder->empty())
    plan.work_dir =
        (std::filesystem::path(*folder) / folder_below_files(request)).lexically_normal().string();
  if (auto folder = push(wanted.restored); !folder) return folder;
  auto spec = load_file(request.folder.spec());
  if (!spec) return tl::unexpected(spec.error());
  if (request.spec.train && !load.files.empty())
    spec = render_spec(with_paths_of_copies(request, plan.work_dir));
  if (const auto pushed = push_run(host, name, plan, *spec, request.folder, part); !pushed)
    return tl::unexpected(pushed.error());
  return plan.run_dir;
}

}  // namespace ddp::cli
