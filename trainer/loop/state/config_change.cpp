#include "trainer/loop/state/config_change.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "trainer/loop/state/join_some.hpp"

namespace ddp::trainer {
namespace {

constexpr std::size_t kShownChanges = 6;

/// What a step computes does not depend on them, or describe_resumption() tells of them; a key, or a section
/// with its dot. Weights to start from are in the checkpoint.
constexpr std::array<std::string_view, 19> kOfNoStep = {"train.mode",
                                                        "train.libtorch",
                                                        "train.epochs",
                                                        "train.max_steps",
                                                        "train.model.weights",
                                                        "train.data.batch_size",
                                                        "train.data.global_batch_size",
                                                        "train.data.workers",
                                                        "train.checkpoint.",
                                                        "train.evaluate.",
                                                        "train.log.",
                                                        "train.ddp.gradient_as_bucket_view",
                                                        "train.ddp.verify_every_steps",
                                                        "train.ddp.shard_optimizer",
                                                        "train.fsdp.reshard_after_forward",
                                                        "train.fsdp.prefetch",
                                                        "train.hsdp.reshard_after_forward",
                                                        "train.hsdp.prefetch",
                                                        "train.hsdp.verify_every_steps"};

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

using Settings = std::map<std::string, std::string>;

Settings by_key(const std::vector<std::string>& settings) {
  Settings by_key;
  for (const auto& setting : settings) by_key.emplace(key_of(setting), value_of(setting));
  return by_key;
}

std::string value_in(const Settings& settings, const std::string& key) {
  const auto found = settings.find(key);
  return found == settings.end() ? "unset" : found->second;
}

/// The options of another component come and go with its name, and say nothing more.
bool is_change(const std::string& key, const Settings& before, const Settings& now) {
  if (is_of_no_step(key)) return false;
  const bool in_both = before.contains(key) && now.contains(key);
  return (in_both || key.ends_with(".name")) && value_in(before, key) != value_in(now, key);
}

std::vector<std::string> changes_between(const std::vector<std::string>& before,
                                         const std::vector<std::string>& now) {
  const Settings old_values = by_key(before);
  const Settings values = by_key(now);
  std::vector<std::string> keys;
  for (const auto& setting : now) keys.push_back(key_of(setting));
  for (const auto& [key, value] : old_values) {
    if (!values.contains(key)) keys.push_back(key);
  }
  std::vector<std::string> changes;
  for (const auto& key : keys) {
    if (is_change(key, old_values, values))
      changes.push_back(key + ": " + value_in(values, key) + " (was " + value_in(old_values, key) + ")");
  }
  return changes;
}

}  // namespace

std::string describe_config_change(const std::vector<std::string>& before,
                                   const std::vector<std::string>& now) {
  if (before.empty()) return {};
  const auto changes = changes_between(before, now);
  if (changes.empty()) return {};
  return "the configuration has changed since the checkpoint was written: " +
         join_some(changes, kShownChanges);
}

}  // namespace ddp::trainer
