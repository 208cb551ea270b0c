#include "cli/commands/option_as_setting.hpp"

#include <algorithm>

#include "cli/spec/component_keys.hpp"
#include "cli/spec/foreign_keys.hpp"
#include "jobenv/config/suggestion.hpp"

namespace ddp::cli {
namespace {

constexpr std::size_t kMostKeys = 4;

/// Behind a '=', or the next word; VALUE where there is none.
std::string value_of_option(const std::string& option, const std::vector<std::string>& words) {
  if (const auto equals = option.find('='); equals != option.npos) return option.substr(equals + 1);
  const auto at = std::ranges::find(words, option);
  const bool has_next = at != words.end() && std::next(at) != words.end();
  if (!has_next || std::next(at)->starts_with("--") || std::next(at)->find('=') != std::string::npos)
    return "VALUE";
  return *std::next(at);
}

/// The paths of the keys of that name; the one at the top level alone, if there is one.
std::vector<std::string> find_keys(const std::string& name) {
  std::vector<std::string> keys;
  for (const KeyRow& row : all_keys({})) {
    if (row.path == name) return {name};
    const bool is_meant = row.path.ends_with("." + name) && row.path.find('[') == std::string::npos;
    if (is_meant && std::ranges::find(keys, row.path) == keys.end()) keys.push_back(row.path);
  }
  return keys;
}

std::string render_settings(std::vector<std::string> keys, const std::string& value) {
  for (auto& key : keys) key += "=" + value;
  return "settings are written as KEY=VALUE: " + join_words(keys);
}

}  // namespace

std::string advise_on_setting(const std::string& option, const std::vector<std::string>& words) {
  const std::string name = name_as_key(option.substr(0, option.find('=')));
  if (name == "sweep" || name == "array")
    return "a sweep is written as KEY=VALUES: 'sweep.train.seed=[1, 2, 3]'";
  const auto foreign = std::ranges::find(foreign_keys(), std::string_view(name), &ForeignKey::name);
  if (foreign != foreign_keys().end() && foreign->key.empty()) return std::string(foreign->advice);
  const std::string key(foreign == foreign_keys().end() ? name_here(name) : foreign->key);
  const auto keys = foreign == foreign_keys().end() ? find_keys(key) : std::vector{key};
  if (keys.empty() || keys.size() > kMostKeys) return {};
  return render_settings(keys, value_of_option(option, words));
}

}  // namespace ddp::cli
