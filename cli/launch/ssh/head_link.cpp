#include "cli/launch/ssh/head_link.hpp"

#include "cli/launch/ssh/hosts_of_run.hpp"
#include "cli/launch/ssh/pushed_program.hpp"
#include "cli/launch/ssh/pushed_run.hpp"
#include "cli/store/run_records.hpp"

namespace ddp::cli {
namespace {

/// A host that did not answer costs its connect time-out each time.
constexpr std::chrono::seconds kSilence{15};

}  // namespace

Expected<RemoteAgent> find_agent(const SshOptions& options, const std::string& path,
                                 const LauncherSeams& seams) {
  if (options.stage == Stage::shared) return RemoteAgent{path, std::nullopt};
  auto pushed = collect_agent(path, options.push_folder.value_or(""), seams.submitter, seams.system.runner);
  if (!pushed) return tl::unexpected(pushed.error());
  return RemoteAgent{path, std::move(*pushed)};
}

/// Before a word of head is here, it is on the first host.
Expected<HeadLink::Connected> HeadLink::connect(const RunStatus& run) {
  const RunFolder folder(run.run_dir);
  const auto plan = load_run_plan(folder);
  if (!plan) return tl::unexpected(plan.error());
  const auto known = load_host(folder.spec(), run.head ? run.head->host : plan->hosts.front());
  if (!known) return tl::unexpected(known.error());
  auto agent = find_agent(known->options, plan->agent, seams_);
  if (!agent) return tl::unexpected(agent.error());
  const auto host = pool_.connect(known->target, *agent);
  if (!host) return tl::unexpected(host.error());
  return Connected{*host, known->target, std::move(*agent)};
}

Expected<remote::ProcessSeen> HeadLink::ask_once(const RunStatus& run, int signal) {
  const auto to = connect(run);
  if (!to) return tl::unexpected(to.error());
  const remote::SendSignal order{{run.head->boot_id, run.head->pid, run.head->start}, signal};
  auto seen = ask_for<remote::ProcessSeen>(*to->host, to->target.host, order);
  if (!seen) pool_.forget(to->target, to->agent);
  return seen;
}

Expected<bool> HeadLink::signal(const RunStatus& run, int signal) {
  auto seen = ask_once(run, 0);
  // A connection that was kept may have broken meanwhile.
  if (!seen && seen.error().code == ExitCode::outcome_unknown) seen = ask_once(run, 0);
  if (seen && seen->alive && signal != 0) seen = ask_once(run, signal);
  return seen.map([](const remote::ProcessSeen& process) { return process.alive; });
}

bool HeadLink::is_pushed(const RunFolder& folder) {
  const auto plan = load_run_plan(folder);
  return plan && !plan->shared_folder;
}

Expected<void> HeadLink::exchange(const RunStatus& run) {
  const RunFolder folder(run.run_dir);
  const auto to = connect(run);
  if (!to) return tl::unexpected(to.error());
  const std::string& name = to->target.host;
  auto done = run.cancel_requested ? push_cancels(*to->host, name, folder) : Expected<void>{};
  if (done) done = fetch_records(*to->host, name, folder);
  if (!done && done.error().code == ExitCode::outcome_unknown) pool_.forget(to->target, to->agent);
  return done;
}

void HeadLink::exchange_if_it_answers(const RunStatus& run) {
  const auto now = seams_.system.clock.steady();
  if (const auto silent = silent_until_.find(run.run_dir);
      silent != silent_until_.end() && now < silent->second)
    return;
  const auto done = exchange(run);
  if (!done && done.error().code != ExitCode::run_failed)
    silent_until_[run.run_dir] = seams_.system.clock.steady() + kSilence;
}

}  // namespace ddp::cli
