#include "jobenv/agent/head/stack_desk.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "jobenv/record/fields/json_text.hpp"
#include "jobenv/record/files/durable_file.hpp"

namespace ddp::agent {
namespace {

constexpr std::chrono::milliseconds kAnswerJourney{1000};

/// "17" of "wanted-17.json"; nullopt: another file.
std::optional<std::string> id_of_request(const std::string& file) {
  constexpr std::string_view kBefore = "wanted-";
  constexpr std::string_view kBehind = ".json";
  if (!file.starts_with(kBefore) || !file.ends_with(kBehind)) return std::nullopt;
  return file.substr(kBefore.size(), file.size() - kBefore.size() - kBehind.size());
}

}  // namespace

void StackDesk::begin_attempt(int number, int world_size) {
  attempt_ = number;
  world_size_ = world_size;
  last_hang_.clear();
  if (!timer_) look_later();
}

/// What a hang has shown until now is kept.
void StackDesk::stop() {
  while (!requests_.empty()) answer(requests_.begin()->first);
  if (timer_) loop_.cancel(*std::exchange(timer_, std::nullopt));
}

void StackDesk::take(const RunEvent& event) {
  if (const auto* joined = std::get_if<AgentJoined>(&event)) agents_.insert(joined->agent);
  if (const auto* lost = std::get_if<AgentLost>(&event)) forget(lost->agent);
  const auto* said = std::get_if<AgentSaid>(&event);
  if (said == nullptr) return;
  if (const auto* taken = std::get_if<StacksTaken>(&said->message)) add(said->agent, *taken);
}

void StackDesk::forget(AgentId agent) {
  agents_.erase(agent);
  std::vector<std::string> complete;
  for (auto& [id, request] : requests_) {
    if (request.awaited.erase(agent) > 0 && request.awaited.empty()) complete.push_back(id);
  }
  for (const auto& id : complete) answer(id);
}

void StackDesk::look_later() {
  timer_ = loop_.after(interval_, [this] { look(); });
}

/// Most runs have no such folder.
void StackDesk::look() {
  look_later();
  std::vector<std::string> ids;
  std::error_code error;
  std::filesystem::directory_iterator file(folder_.stacks(), error);
  for (const std::filesystem::directory_iterator end; !error && file != end; file.increment(error)) {
    if (auto id = id_of_request(file->path().filename().string())) ids.push_back(std::move(*id));
  }
  for (const auto& id : ids) accept(id);
}

void StackDesk::accept(const std::string& id) {
  const auto path = folder_.stack_request(id);
  const auto text = load_file(path);
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  if (!text || is_of_hang(id) || requests_.contains(id)) return;
  const auto wanted = parse_stack_request(parse_json(*text));
  if (!wanted) return;
  const auto ranks = wanted->ranks.empty() ? static_cast<std::size_t>(world_size_) : wanted->ranks.size();
  requests_[id] = {begin_record(ranks), agents_,
                   loop_.after(kStackPatience + kAnswerJourney, [this, id] { answer(id); })};
  post_(StacksWanted{id, wanted->ranks});
}

StackRecord StackDesk::begin_record(std::size_t ranks) const {
  return {attempt_, std::chrono::system_clock::now(), static_cast<int>(ranks), {}};
}

/// The first answer for a look at a hang begins its record.
void StackDesk::add(AgentId agent, const StacksTaken& taken) {
  if (is_of_hang(taken.id) && taken.id != last_hang_) {
    last_hang_ = taken.id;
    requests_[taken.id] = {
        begin_record(static_cast<std::size_t>(world_size_)), agents_,
        loop_.after(kStackPatience + kAnswerJourney, [this, id = taken.id] { answer(id); })};
  }
  const auto found = requests_.find(taken.id);
  if (found == requests_.end()) return;
  auto& ranks = found->second.record.ranks;
  ranks.insert(ranks.end(), taken.stacks.begin(), taken.stacks.end());
  if (found->second.awaited.erase(agent) > 0 && found->second.awaited.empty()) answer(taken.id);
}

/// A reader that waits for the file gives up by itself where it cannot be written.
void StackDesk::answer(const std::string& wanted) {
  auto request = requests_.extract(wanted);
  if (request.empty()) return;
  const std::string& id = request.key();  // `wanted` may be part of what ends here
  loop_.cancel(request.mapped().deadline);
  StackRecord& record = request.mapped().record;
  std::ranges::sort(record.ranks, {}, &RankStack::rank);
  const auto path = is_of_hang(id) ? folder_.hang_stacks(record.attempt) : folder_.stack_answer(id);
  std::error_code ignored;
  std::filesystem::create_directory(folder_.stacks(), ignored);
  (void)save_file(path, to_json(record).dump() + "\n", Durability::visible);
}

}  // namespace ddp::agent
