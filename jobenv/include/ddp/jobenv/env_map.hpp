#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ddp {

/// An environment as a value: taken once in `main`, then passed on. Names are unique and sorted.
class EnvMap {
 public:
  EnvMap() = default;
  explicit EnvMap(std::map<std::string, std::string> variables) : variables_(std::move(variables)) {}

  /// The environment of this process. Entries without '=' are skipped; of a repeated name the first counts,
  /// as in getenv.
  [[nodiscard]] static EnvMap capture();

  [[nodiscard]] std::optional<std::string> get(std::string_view name) const;
  [[nodiscard]] bool has(std::string_view name) const { return get(name).has_value(); }
  EnvMap& set(std::string name, std::string value);
  void unset(std::string_view name);

  /// A copy in which `over` wins.
  [[nodiscard]] EnvMap patched(const EnvMap& over) const;

  /// Removes every variable whose name `drops` accepts; returns the names removed, sorted.
  std::vector<std::string> remove_if(const std::function<bool(std::string_view name)>& drops);

  /// "NAME=value" strings, in the form that execve takes.
  [[nodiscard]] std::vector<std::string> entries() const;

  [[nodiscard]] const std::map<std::string, std::string>& variables() const { return variables_; }
  bool operator==(const EnvMap&) const = default;

 private:
  std::map<std::string, std::string> variables_;
};

}  // namespace ddp
