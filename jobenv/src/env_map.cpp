#include "ddp/jobenv/env_map.hpp"

#include <unistd.h>

namespace ddp {

EnvMap EnvMap::capture() {
  EnvMap captured;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0) continue;
    captured.variables_.try_emplace(std::string(text.substr(0, equals)), text.substr(equals + 1));
  }
  return captured;
}

std::optional<std::string> EnvMap::get(std::string_view name) const {
  const auto found = variables_.find(std::string(name));
  if (found == variables_.end()) return std::nullopt;
  return found->second;
}

EnvMap& EnvMap::set(std::string name, std::string value) {
  variables_.insert_or_assign(std::move(name), std::move(value));
  return *this;
}

void EnvMap::unset(std::string_view name) {
  if (const auto found = variables_.find(std::string(name)); found != variables_.end())
    variables_.erase(found);
}

EnvMap EnvMap::patched(const EnvMap& over) const {
  EnvMap merged = over;
  merged.variables_.insert(variables_.begin(), variables_.end());
  return merged;
}

std::vector<std::string> EnvMap::remove_if(const std::function<bool(std::string_view name)>& drops) {
  std::vector<std::string> removed;
  std::erase_if(variables_, [&](const auto& variable) {
    if (!drops(variable.first)) return false;
    removed.push_back(variable.first);
    return true;
  });
  return removed;
}

std::vector<std::string> EnvMap::entries() const {
  std::vector<std::string> entries;
  entries.reserve(variables_.size());
  for (const auto& [name, value] : variables_) entries.emplace_back(name).append("=").append(value);
  return entries;
}

}  // namespace ddp
