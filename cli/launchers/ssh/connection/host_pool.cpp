#include "cli/launchers/ssh/connection/host_pool.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace ddp::cli {
namespace {

constexpr std::size_t kMostThreads = 128;
/// A host that does not answer costs its connect time-out each time.
constexpr std::chrono::seconds kSilence{15};

/// What tells one connection from another.
std::string key_of(const RemotePlace& place) {
  const auto& [target, agent] = place;
  const std::string program = agent.push ? agent.push->folder + '\n' + agent.push->sha256 : agent.path;
  return target.user.value_or("") + '\n' + target.host + '\n' + target.address.value_or("") + '\n' +
         std::to_string(target.port.value_or(0)) + '\n' + target.identity_file.value_or("") + '\n' + program;
}

}  // namespace

void do_on_all(std::size_t count, const std::function<void(std::size_t index)>& work) {
  std::atomic<std::size_t> next = 0;
  const auto take = [&] {
    for (std::size_t index = next++; index < count; index = next++) work(index);
  };
  std::vector<std::jthread> threads;
  try {
    for (std::size_t i = 1; i < std::min(count, kMostThreads); ++i) threads.emplace_back(take);
  } catch (const std::system_error&) {  // the user may have no more of them: those that there are will do
  }
  take();
}

/// Connected, or silent a moment ago.
bool HostPool::is_known(const std::string& key) const {
  const auto silent = silent_.find(key);
  return hosts_.contains(key) || (silent != silent_.end() && clock_.steady() < silent->second.until);
}

std::vector<Expected<RemoteHost*>> HostPool::connect(const std::vector<RemotePlace>& places) {
  std::map<std::string, const RemotePlace*> wanted;
  for (const auto& place : places) {
    if (const auto key = key_of(place); !is_known(key)) wanted[key] = &place;
  }
  const std::vector<std::pair<std::string, const RemotePlace*>> list(wanted.begin(), wanted.end());
  std::vector<std::optional<Expected<std::unique_ptr<RemoteHost>>>> made(list.size());
  do_on_all(list.size(), [&](std::size_t index) {
    made[index] = connector_.connect(list[index].second->target, list[index].second->agent);
  });
  const auto until = clock_.steady() + kSilence;
  for (std::size_t index = 0; index < list.size(); ++index) {
    const std::string& key = list[index].first;
    if (auto& host = *made[index]; host) {
      hosts_[key] = std::move(*host);
    } else {
      silent_[key] = {std::move(host.error()), until};
    }
  }
  std::vector<Expected<RemoteHost*>> hosts;
  for (const auto& place : places) {
    if (const auto kept = hosts_.find(key_of(place)); kept != hosts_.end()) {
      hosts.emplace_back(kept->second.get());
    } else {
      hosts.emplace_back(tl::unexpected(silent_.at(key_of(place)).error));
    }
  }
  return hosts;
}

std::vector<Expected<RemoteHost*>> HostPool::connect(const std::vector<SshTarget>& targets,
                                                     const RemoteAgent& agent) {
  std::vector<RemotePlace> places;
  for (const auto& target : targets) places.push_back({target, agent});
  return connect(places);
}

Expected<RemoteHost*> HostPool::connect(const RemotePlace& place) {
  return connect(std::vector<RemotePlace>{place}).front();
}

void HostPool::forget(const RemotePlace& place) {
  hosts_.erase(key_of(place));
}

void HostPool::silence(const RemotePlace& place, const Error& error) {
  forget(place);
  silent_[key_of(place)] = {error, clock_.steady() + kSilence};
}

}  // namespace ddp::cli
