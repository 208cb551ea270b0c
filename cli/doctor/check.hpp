#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "cli/doctor/finding.hpp"
#include "cli/launch/launcher.hpp"
#include "cli/spec/run_spec.hpp"

namespace ddp::cli {

/// What is examined: this machine, and for what.
struct CheckSubject {
  LauncherSeams seams;
  std::filesystem::path own_folder;  ///< of ddpsubmit's executable
  std::filesystem::path work_dir;    ///< that ddpsubmit was called in
  std::filesystem::path run_root;    ///< absolute; need not exist
  const RunSpec* spec = nullptr;     ///< the configuration that runs are to have; null: any

  /// Whether that launcher is needed, not only looked at.
  [[nodiscard]] bool wants(std::string_view launcher) const {
    return spec != nullptr && spec->launcher->name == launcher;
  }
};

/// Something to look at on this machine.
struct Check {
  std::string_view name;
  /// Starts programs, and writes and removes files of its own. `check` and `host` of the finding are set by
  /// who calls.
  Finding (*run)(const CheckSubject& subject);
  /// The name of a check before it, without whose success it is skipped, and why; empty: none.
  std::string_view needs = {};
  std::string_view skipped = {};
};

/// All of them, in the order of the report.
[[nodiscard]] std::vector<Check> all_checks();

[[nodiscard]] Findings examine_machine(const CheckSubject& subject);

}  // namespace ddp::cli
