#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/launchers/launcher_options.hpp"

namespace ddp::cli {

struct SlurmOptions final : LauncherOptionsOf<SlurmOptions> {
  static constexpr std::string_view kLauncher = "slurm";

  std::optional<std::string> partition, account, qos, reservation, constraint, nodelist, exclude, gres,
      mail_user, mail_type;
  std::vector<std::string> setup;            ///< lines of shell for the batch script
  std::optional<std::string> template_file;  ///< absolute; instead of the built-in template
  std::map<std::string, std::string>
      options;  ///< further long options of sbatch, without the dashes; an empty value: a flag

  void describe(Fields& fields) override;
  [[nodiscard]] bool has_setup() const override { return !setup.empty(); }
  bool operator==(const SlurmOptions&) const = default;
};

}  // namespace ddp::cli
