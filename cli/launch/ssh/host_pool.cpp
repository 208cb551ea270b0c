#include "cli/launch/ssh/host_pool.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <system_error>
#include <thread>

namespace ddp::cli {
namespace {

constexpr std::size_t kMostThreads = 128;

/// What tells one connection from another.
std::string key_of(const SshTarget& target, const RemoteAgent& agent) {
  const std::string place = agent.push ? agent.push->folder + '\n' + agent.push->sha256 : agent.path;
  return target.user.value_or("") + '\n' + target.host + '\n' + target.address.value_or("") + '\n' +
         std::to_string(target.port.value_or(0)) + '\n' + target.identity_file.value_or("") + '\n' + place;
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

std::vector<Expected<RemoteHost*>> HostPool::connect(const std::vector<SshTarget>& targets,
                                                     const RemoteAgent& agent) {
  std::vector<std::optional<Expected<std::unique_ptr<RemoteHost>>>> made(targets.size());
  do_on_all(targets.size(), [&](std::size_t index) {
    if (!hosts_.contains(key_of(targets[index], agent)))
      made[index] = connector_.connect(targets[index], agent);
  });
  std::vector<Expected<RemoteHost*>> hosts;
  for (std::size_t index = 0; index < targets.size(); ++index) {
    auto& kept = hosts_[key_of(targets[index], agent)];
    if (made[index] && *made[index]) kept = std::move(**made[index]);
    if (kept) {
      hosts.emplace_back(kept.get());
    } else {
      hosts.emplace_back(tl::unexpected(made[index]->error()));
      hosts_.erase(key_of(targets[index], agent));
    }
  }
  return hosts;
}

Expected<RemoteHost*> HostPool::connect(const SshTarget& target, const RemoteAgent& agent) {
  return connect(std::vector<SshTarget>{target}, agent).front();
}

void HostPool::forget(const SshTarget& target, const RemoteAgent& agent) {
  hosts_.erase(key_of(target, agent));
}

}  // namespace ddp::cli
