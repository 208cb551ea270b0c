#include "trainer/loop/config_change.hpp"

#include <algorithm>
#include <map>

namespace ddp::trainer {
namespace {

constexpr std::size_t kShownChanges = 4;

std::string key_of(const std::string& setting) {
  return setting.substr(0, setting.find(": "));
}

std::string value_of(const std::string& setting) {
  return setting.substr(std::min(setting.size(), key_of(setting).size() + 2));
}

/// The keys of another component are not among those of before.
std::vector<std::string> changes_between(const std::vector<std::string>& before,
                                         const std::vector<std::string>& now) {
  std::map<std::string, std::string> old;
  for (const auto& setting : before) old.emplace(key_of(setting), value_of(setting));
  std::vector<std::string> changes;
  for (const auto& setting : now) {
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
