#include "cli/launchers/ssh/head_link.hpp"

#include "cli/launchers/ssh/push/pushed_program.hpp"
#include "cli/launchers/ssh/push/pushed_run.hpp"
#include "cli/launchers/ssh/ssh_targets.hpp"
#include "cli/store/state/run_records.hpp"

namespace ddp::cli {

Expected<RemoteAgent> find_agent(const SshOptions& options, const std::string& path,
                                 const LauncherSeams& seams) {
  if (options.stage == Stage::shared) return RemoteAgent{path, std::nullopt};
  auto pushed = collect_agent(path, options.push_folder.value_or(""), seams.submitter, seams.system.runner);
  if (!pushed) return tl::unexpected(pushed.error());
  return RemoteAgent{path, std::move(*pushed)};
}

Expected<RemotePlace> find_place(const RunFolder& folder, const std::string& name,
                                 const LauncherSeams& seams) {
  const auto plan = load_run_plan(folder);
  if (!plan) return tl::unexpected(plan.error());
  const auto known = load_host(folder.spec(), name);
  if (!known) return tl::unexpected(known.error());
  auto agent = find_agent(known->options, plan->agent, seams);
  if (!agent) return tl::unexpected(agent.error());
  return RemotePlace{known->target, std::move(*agent)};
}

/// Before a word of head is here, it is on the first host.
Expected<RemotePlace> HeadLink::place_of_head(const RunStatus& run) const {
  const RunFolder folder(run.run_dir);
  const auto plan = load_run_plan(folder);
  if (!plan) return tl::unexpected(plan.error());
  return find_place(folder, run.head ? run.head->host : plan->hosts.front(), seams_);
}

Expected<HeadLink::Connected> HeadLink::connect(const RunStatus& run) {
  auto place = place_of_head(run);
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
    if (!runs[index].head && !is_pushed(RunFolder(runs[index].run_dir))) continue;
    auto place = place_of_head(runs[index]);
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

Expected<void> HeadLink::do_once(const RunStatus& run, const Deed& deed) {
  const auto to = connect(run);
  if (!to) return tl::unexpected(to.error());
  auto done = deed(*to->host, to->place.target.host, RunFolder(run.run_dir));
  if (!done && done.error().code == ExitCode::outcome_unknown) pool_.forget(to->place);
  return done;
}

Expected<void> HeadLink::do_there(const RunStatus& run, const Deed& deed) {
  auto done = do_once(run, deed);
  if (done || done.error().code != ExitCode::outcome_unknown) return done;
  done = do_once(run, deed);
  if (const auto place = place_of_head(run); place && !done) pool_.silence(*place, done.error());
  return done;
}

Expected<void> HeadLink::hand_over_cancels(const RunStatus& run) {
  return do_there(run, push_cancels);
}

Expected<void> HeadLink::hand_over(const RunStatus& run, const std::string& path, const std::string& text) {
  return do_there(run, [&](RemoteHost& host, const std::string& name, const RunFolder& folder) {
    const remote::WriteRun request{.run_id = folder.run_id(), .files = {{path, text}}, .history = {}};
    return ask_for<remote::RunWritten>(host, name, request).map([](const auto&) {});
  });
}

Expected<void> HeadLink::exchange(const RunStatus& run) {
  if (run.cancel_requested) {
    if (auto told = hand_over_cancels(run); !told) return told;
  }
  return do_there(run, fetch_records);
}

Errors HeadLink::exchange_where_it_answers(std::span<const RunStatus> runs) {
  const auto reached = reach(runs);
  Errors errors;
  for (std::size_t index = 0; index < runs.size(); ++index) {
    const auto done = reached[index] ? exchange(runs[index]) : reached[index];
    if (!done) errors.push_back(done.error());
  }
  return errors;
}

}  // namespace ddp::cli
