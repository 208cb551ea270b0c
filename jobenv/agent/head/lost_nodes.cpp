#include "jobenv/agent/head/lost_nodes.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "ddp/jobenv/host_list.hpp"
#include "jobenv/record/events/events.hpp"

namespace ddp::agent {
namespace {

/// An attempt follows others under the head that stands before it.
std::string host_of_head(int attempt, const std::map<int, std::string>& heads) {
  const auto after = heads.upper_bound(attempt);
  return after == heads.begin() ? std::string() : std::prev(after)->second;
}

std::set<std::string> find_blamed_hosts(const std::vector<LedgerEvent>& events) {
  std::set<std::string> blamed;
  std::map<int, std::string> heads;
  std::set<int> stopped;
  for (const LedgerEvent& event : events) {
    if (is<event::SubmitIntent>(event)) blamed.clear();
    if (const auto lost = as<event::NodesLost>(event)) blamed.insert(lost->hosts.begin(), lost->hosts.end());
    if (const auto head = as<event::HeadStarted>(event)) heads[head->attempt.value_or(-1)] = head->host;
    if (const auto stop = as<event::StopRequested>(event)) stopped.insert(stop->attempt.value_or(-1));
    const auto ended = as<event::AttemptEnded>(event);
    if (!ended || ended->outcome != event::kLost) continue;
    const int attempt = ended->attempt.value_or(-1);
    if (!stopped.contains(attempt)) blamed.insert(host_of_head(attempt, heads));
  }
  return blamed;
}

}  // namespace

std::vector<std::string> find_lost_again(const std::vector<LedgerEvent>& events,
                                         const std::vector<std::string>& hosts) {
  const auto blamed = find_blamed_hosts(events);
  std::vector<std::string> again;
  std::ranges::copy_if(hosts, std::back_inserter(again),
                       [&blamed](const std::string& host) { return blamed.contains(host); });
  return again;
}

void LostNodes::begin() {
  if (stage_ != Stage::idle) return;
  stage_ = Stage::busy;
  inquiry_->find_lost_nodes([this](const std::vector<std::string>& hosts) { record(hosts); });
}

void LostNodes::when_done(std::function<void()> on_done) {
  if (stage_ != Stage::busy) return on_done();
  on_done_ = std::move(on_done);
}

void LostNodes::record(const std::vector<std::string>& hosts) {
  if (hosts.empty()) return finish();
  const auto events = load_ledger(records_.folder(), RankEvents::skip);
  const std::string message = "lost " + HostList(hosts).compress();
  records_.write(event::NodesLost{.hosts = hosts, .message = message});
  log_(message);
  const auto again = find_lost_again(events.value_or(std::vector<LedgerEvent>{}), hosts);
  if (again.empty()) return finish();
  exclude(again);
}

void LostNodes::exclude(const std::vector<std::string>& hosts) {
  const auto& folder = records_.folder();
  const auto script = folder.point() ? folder.sweep().script() : folder.script();
  inquiry_->exclude(hosts, script, [this, hosts](const std::string& objection) { tell(hosts, objection); });
}

void LostNodes::tell(const std::vector<std::string>& hosts, const std::string& objection) {
  const std::string names = HostList(hosts).compress();
  const std::string message =
      objection.empty()
          ? "lost " + names + " again; " + scheduler_ + " now excludes " + names + " from this job"
          : "lost " + names + " again; cannot exclude " + names + " from this job: " + objection;
  if (objection.empty()) {
    records_.write(event::NodesExcluded{.hosts = hosts, .message = message});
  } else {
    records_.write(event::ExclusionRefused{.hosts = hosts, .message = message});
  }
  log_(message);
  finish();
}

void LostNodes::finish() {
  stage_ = Stage::done;
  if (on_done_) std::exchange(on_done_, nullptr)();
}

}  // namespace ddp::agent
