#include "cli/launchers/ssh/push/pushed_load.hpp"

#include "cli/launch/plan/job_base_environment.hpp"
#include "cli/launchers/ssh/push/pushed_program.hpp"
#include "cli/launchers/ssh/push/train_paths.hpp"
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

Expected<std::string> push_load(RemoteHost& host, const std::string& name, const LaunchRequest& request,
                                const PushedLoad& load, RunPart part, const PushNote& note) {
  Expected<std::string> program = "";
  if (const auto& files = load.program.files; !files.empty())
    program = push_contents(host, name, remote::ReadyPrograms{files}, load.program, note);
  if (!program) return program;
  auto plan = plan_for_host(request.plan, host.greeting().folder, load.agent, *program);
  if (const auto& files = load.package.files; !files.empty()) {
    const auto silent = [](const std::string&) {};  // it is small
    auto folder = push_contents(host, name, remote::ReadyPrograms{files}, load.package, silent);
    if (!folder) return folder;
    plan.python_folder = *folder;
  }
  if (!load.files.empty()) {
    auto folder = push_contents(host, name, load.files.order, load.files.contents, note);
    if (!folder) return folder;
    plan.work_dir =
        (std::filesystem::path(*folder) / folder_below_files(request)).lexically_normal().string();
  }
  auto spec = load_file(request.folder.spec());
  if (!spec) return tl::unexpected(spec.error());
  if (request.spec.train && !load.files.empty())
    spec = render_spec(with_paths_of_copies(request, plan.work_dir));
  if (const auto pushed = push_run(host, name, plan, *spec, request.folder, part); !pushed)
    return tl::unexpected(pushed.error());
  return plan.run_dir;
}

}  // namespace ddp::cli
