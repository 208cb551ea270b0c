#include "jobenv/agent/lost_nodes.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "ddp/jobenv/host_list.hpp"

namespace ddp::agent {
namespace {

using nlohmann::json;

std::string text_of(const LedgerEvent& event, const char* key) {
  const auto found = event.fields.find(key);
  return found != event.fields.end() && found->is_string() ? found->get<std::string>() : std::string();
}

void insert_texts(const json& list, std::set<std::string>& texts) {
  if (!list.is_array()) return;
  for (const json& one : list) {
    if (one.is_string()) texts.insert(one.get<std::string>());
  }
}

std::set<std::string> find_blamed_hosts(const std::vector<LedgerEvent>& events) {
  std::set<std::string> blamed;
  std::map<json, std::string> host_of_head;
  for (const LedgerEvent& event : events) {
    const json attempt = event.fields.value("attempt", json());
    if (event.event == "submit_intent") blamed.clear();
    if (event.event == "nodes_lost") insert_texts(event.fields.value("hosts", json()), blamed);
    if (event.event == "head_started") host_of_head[attempt] = text_of(event, "host");
    if (event.event == "attempt_ended" && text_of(event, "outcome") == "lost")
      blamed.insert(host_of_head[attempt]);
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
  inquiry_.find_lost_nodes([this](const std::vector<std::string>& hosts) { record(hosts); });
}

void LostNodes::record(const std::vector<std::string>& hosts) {
  if (hosts.empty()) return on_done_();
  const auto events = load_ledger(records_.folder());
  const std::string message = "lost " + HostList(hosts).compress();
  records_.write("nodes_lost", {{"attempt", records_.attempt()}, {"hosts", hosts}, {"message", message}});
  log_(message);
  const auto again = find_lost_again(events.value_or(std::vector<LedgerEvent>{}), hosts);
  if (again.empty()) return on_done_();
  exclude(again);
}

void LostNodes::exclude(const std::vector<std::string>& hosts) {
  const auto& folder = records_.folder();
  const auto script = folder.point() ? folder.sweep().script() : folder.script();
  inquiry_.exclude(hosts, script, [this, hosts](bool excluded) {
    const std::string names = HostList(hosts).compress();
    const std::string message = excluded ? "lost before: Slurm keeps the job from " + names + " from now on"
                                         : "lost before, but Slurm cannot start the job without " + names;
    if (excluded)
      records_.write("nodes_excluded",
                     {{"attempt", records_.attempt()}, {"hosts", hosts}, {"message", message}});
    log_(message);
    on_done_();
  });
}

}  // namespace ddp::agent
