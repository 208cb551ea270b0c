#include "trainer/loop/config_change.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

namespace ddp::trainer {
namespace {

constexpr std::size_t kShownChanges = 4;

/// What a step computes does not depend on them; a key, or a section with its dot.
constexpr std::array<std::string_view, 9> kOfNoStep = {"train.mode",
                                                       "train.epochs",
                                                       "train.max_steps",
                                                       "train.data.workers",
                                                       "train.checkpoint.",
                                                       "train.evaluate.",
                                                       "train.log.",
                                                       "train.ddp.verify_every_steps",
                                                       "train.ddp.shard_optimizer"};

std::string key_of(const std::string& setting) {
  return setting.substr(0, setting.find(": "));
}

std::string value_of(const std::string& setting) {
  return setting.substr(std::min(setting.size(), key_of(setting).size() + 2));
}

bool is_of_no_step(const std::string& key) {
  return std::ranges::any_of(kOfNoStep, [&key](std::string_view name) {
    return name.ends_with('.') ? key.starts_with(name) : key == name;
  });
}

/// The keys of another component are not among those of before.
std::vector<std::string> changes_between(const std::vector<std::string>& before,
                                         const std::vector<std::string>& now) {
  std::map<std::string, std::string> old;
  for (const auto& setting : before) old.emplace(key_of(setting), value_of(setting));
  std::vector<std::string> changes;
  for (const auto& setting : now) {
    if (is_of_no_step(key_of(setting))) continue;
    const auto found = old.find(key_of(setting));
    if (found == old.end()) {
      changes.push_back(setting);
    } else if (found->second != value_of(setting)) {
      changes.push_back(setting + " (" + found->second + " before)");
    }
  }
  return changes;
}

}  // namespace

std::string describe_config_change(const std::vector<std::string>& before,
                                   const std::vector<std::string>& now) {
  std::string text = "the configuration has changed since the checkpoint was written";
  const auto changes = before.empty() ? std::vector<std::string>() : changes_between(before, now);
  for (std::size_t i = 0; i < std::min(changes.size(), kShownChanges); ++i)
    text += (i == 0 ? ": " : "; ") + changes[i];
  if (changes.size() > kShownChanges)
    text += "; and " + std::to_string(changes.size() - kShownChanges) + " more";
  return text;
}

}  // namespace ddp::trainer
