#include "cli/launchers/ssh/run_hosts.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include "cli/launchers/ssh/fetch/fetched_run.hpp"
#include "cli/launchers/ssh/head_link.hpp"
#include "cli/launchers/ssh/push/restored_files.hpp"
#include "cli/store/state/recorded_status.hpp"
#include "cli/store/state/run_records.hpp"

namespace ddp::cli {

std::vector<std::string> name_all_hosts(const RunFolder& folder, const LaunchPlan& plan) {
  std::set<std::string> names(plan.hosts.begin(), plan.hosts.end());
  if (const auto records = load_run_records(folder, RankEvents::skip))
    for (const auto& attempt : derive_status(*records).attempts)
      names.insert(attempt.hosts.begin(), attempt.hosts.end());
  return {names.begin(), names.end()};
}

/// The host of head, and the others of the plan. One that does not answer is an error if it is head's.
Expected<std::optional<Fetched>> RunHosts::fetch(const RunStatus& run) {
  const RunFolder folder(run.run_dir);
  const auto plan = load_run_plan(folder);
  if (!plan) return tl::unexpected(plan.error());
  if (plan->shared_folder) return std::nullopt;
  std::vector<std::string> names{run.head ? run.head->host : plan->hosts.front()};
  std::ranges::copy_if(plan->hosts, std::back_inserter(names),
                       [&](const std::string& name) { return name != names.front(); });
  std::vector<RemotePlace> places;
  for (const auto& name : names) {
    auto place = find_place(folder, name, seams_);
    if (!place) return tl::unexpected(place.error());
    places.push_back(std::move(*place));
  }
  const auto hosts = pool_.connect(places);
  std::vector<FetchPlace> there;
  Errors away;
  for (std::size_t index = 0; index < hosts.size(); ++index) {
    if (!hosts[index] && index == 0) return tl::unexpected(hosts[index].error());
    if (hosts[index])
      there.push_back({names[index], *hosts[index]});
    else
      away.push_back(hosts[index].error());
  }
  CopyProgress progress(seams_.system.clock, [this](const std::string& line) { say(line); });
  auto fetched = fetch_run(there, folder, progress);
  if (!fetched) return tl::unexpected(fetched.error());
  fetched->errors.insert(fetched->errors.end(), away.begin(), away.end());
  return std::optional(std::move(*fetched));
}

Expected<void> RunHosts::fetch_for_other_host(const RunFolder& folder, const std::string& first) {
  const auto last = find_last_host(folder);
  if (last.empty() || last == first) return {};
  const auto place = find_place(folder, last, seams_);
  const auto host = place ? pool_.connect(*place) : tl::unexpected(place.error());
  if (!host) {
    say("warning: " + host.error().message + "; the run goes on from what was fetched of it before");
    return {};
  }
  CopyProgress progress(seams_.system.clock, [this](const std::string& line) { say(line); });
  return fetch_run({{last, *host}}, folder, progress).map([](const Fetched&) {});
}

/// A host that an earlier attempt had may be another one now that the configuration does not tell of any
/// more.
RemovedCopies RunHosts::remove_copies(const RunFolder& folder) {
  RemovedCopies removed;
  const auto plan = load_run_plan(folder);
  if (!plan || plan->shared_folder) return removed;
  std::vector<RemotePlace> places;
  for (const auto& name : name_all_hosts(folder, *plan)) {
    if (auto place = find_place(folder, name, seams_); place)
      places.push_back(std::move(*place));
    else
      removed.errors.push_back(std::move(place.error()));
  }
  const auto hosts = pool_.connect(places);
  std::vector<Expected<remote::RunRemoved>> done(hosts.size());
  do_on_all(hosts.size(), [&](std::size_t index) {
    done[index] = hosts[index] ? ask_for<remote::RunRemoved>(**hosts[index], places[index].target.host,
                                                             remote::RemoveRun{plan->run_id})
                               : tl::unexpected(hosts[index].error());
  });
  for (std::size_t index = 0; index < done.size(); ++index) {
    const auto& name = places[index].target.host;
    const bool is_of_plan = std::ranges::find(plan->hosts, name) != plan->hosts.end();
    if (!done[index]) {
      pool_.forget(places[index]);
      removed.errors.push_back(std::move(done[index].error()));
    } else if (done[index]->was_there) {
      removed.from.push_back(name);
    } else if (!is_of_plan) {
      removed.errors.push_back(
          {ExitCode::not_found, name + ": an earlier attempt ran there, but it is not found there: "
                                       "the configuration of the run has another host now"});
    }
  }
  return removed;
}

}  // namespace ddp::cli
