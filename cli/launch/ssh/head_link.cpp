#include "cli/launch/ssh/head_link.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

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
Expected<RemotePlace> HeadLink::find_place(const RunStatus& run) const {
  const RunFolder folder(run.run_dir);
  const auto plan = load_run_plan(folder);
  if (!plan) return tl::unexpected(plan.error());
  const auto known = load_host(folder.spec(), run.head ? run.head->host : plan->hosts.front());
  if (!known) return tl::unexpected(known.error());
  auto agent = find_agent(known->options, plan->agent, seams_);
  if (!agent) return tl::unexpected(agent.error());
  return RemotePlace{known->target, std::move(*agent)};
}

Expected<HeadLink::Connected> HeadLink::connect(const RunStatus& run) {
  auto place = find_place(run);
  if (!place) return tl::unexpected(place.error());
  const auto host = pool_.connect(*place);
  if (!host) return tl::unexpected(host.error());
  return Connected{*host, std::move(*place)};
}

std::vector<Expected<void>> HeadLink::reach(std::span<const RunStatus> runs) {
  std::vector<Expected<void>> reached(runs.size());
  std::vector<RemotePlace> places;
  std::vector<std::size_t> of_place;  // the run that it is of
  for (std::size_t index = 0; index < runs.size(); ++index) {
    auto place = find_place(runs[index]);
    if (!place) {
      reached[index] = tl::unexpected(place.error());
      continue;
    }
    places.push_back(std::move(*place));
    of_place.push_back(index);
  }
  const auto hosts = pool_.connect(places);
  for (std::size_t index = 0; index < hosts.size(); ++index)
    reached[of_place[index]] = hosts[index].map([](RemoteHost*) {});
  return reached;
}

Expected<remote::ProcessSeen> HeadLink::ask_once(const RunStatus& run, int signal) {
  const auto to = connect(run);
  if (!to) return tl::unexpected(to.error());
  const remote::SendSignal order{{run.head->boot_id, run.head->pid, run.head->start}, signal};
  auto seen = ask_for<remote::ProcessSeen>(*to->host, to->place.target.host, order);
  if (!seen) pool_.forget(to->place);
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
  const std::string& name = to->place.target.host;
  auto done = run.cancel_requested ? push_cancels(*to->host, name, folder) : Expected<void>{};
  if (done) done = fetch_records(*to->host, name, folder);
  if (!done && done.error().code == ExitCode::outcome_unknown) pool_.forget(to->place);
  return done;
}

void HeadLink::exchange_where_it_answers(std::span<const RunStatus> runs) {
  const auto is_silent = [this, now = seams_.system.clock.steady()](const RunStatus& run) {
    const auto silent = silent_until_.find(run.run_dir);
    return silent != silent_until_.end() && now < silent->second;
  };
  std::vector<RunStatus> asked;
  std::ranges::copy_if(runs, std::back_inserter(asked), std::not_fn(is_silent));
  const auto reached = reach(asked);
  for (std::size_t index = 0; index < asked.size(); ++index) {
    const auto done = reached[index] ? exchange(asked[index]) : reached[index];
    if (!done && done.error().code != ExitCode::run_failed)
      silent_until_[asked[index].run_dir] = seams_.system.clock.steady() + kSilence;
  }
}

}  // namespace ddp::cli
