#pragma once

#include <map>
#include <memory>
#include <string_view>

#include "jobenv/config/fields.hpp"

namespace ddp::cli {

/// What a configuration says to one launcher: the section that has its name.
class LauncherOptions {
 public:
  virtual ~LauncherOptions() = default;

  /// Every key of the section.
  virtual void describe(Fields& fields) = 0;
  /// Lines of shell of the launcher's own that run before those of environment.setup.
  [[nodiscard]] virtual std::vector<std::string> setup_lines() const { return {}; }

  [[nodiscard]] virtual std::unique_ptr<LauncherOptions> clone() const = 0;
  [[nodiscard]] virtual bool equals(const LauncherOptions& other) const = 0;
};

/// A launcher's section as a copyable value: `Options` has `describe(Fields&)` and `==`.
template <class Options>
class LauncherOptionsOf : public LauncherOptions {
 public:
  [[nodiscard]] std::unique_ptr<LauncherOptions> clone() const override {
    return std::make_unique<Options>(static_cast<const Options&>(*this));
  }
  [[nodiscard]] bool equals(const LauncherOptions& other) const override {
    const auto* same = dynamic_cast<const Options*>(&other);
    return same != nullptr && *same == static_cast<const Options&>(*this);
  }
  bool operator==(const LauncherOptionsOf&) const { return true; }  // the members are those of `Options`
};

/// The sections of all launchers, with their defaults at first. A value: a copy has copies of them.
class LauncherSections {
 public:
  LauncherSections();
  LauncherSections(const LauncherSections& other);
  LauncherSections(LauncherSections&&) = default;
  LauncherSections& operator=(const LauncherSections& other);
  LauncherSections& operator=(LauncherSections&&) = default;
  ~LauncherSections() = default;

  /// That of the launcher; nullptr: it has none.
  [[nodiscard]] LauncherOptions* find(std::string_view launcher);
  [[nodiscard]] const LauncherOptions* find(std::string_view launcher) const;

  bool operator==(const LauncherSections& other) const;

 private:
  std::map<std::string_view, std::unique_ptr<LauncherOptions>> sections_;
};

}  // namespace ddp::cli
