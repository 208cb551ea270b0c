#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ddp/jobenv/env_map.hpp"
#include "ddp/jobenv/error.hpp"
#include "jobenv/config/config_node.hpp"
#include "trainer/config/component_schema.hpp"

namespace ddp::cli {

/// Says what a program under `train.program`, other than ddptrain, can be told; nullptr when the program is
/// not on this machine, or cannot be loaded: then it is taken for ddptrain. Called while a configuration is
/// read, once for each point of a sweep. `variables` are those of environment.set, which the program may need
/// to start.
using SchemaSource = std::function<Expected<std::shared_ptr<const trainer::ComponentSchemas>>(
    const std::string& program, const std::map<std::string, std::string>& variables)>;

/// Where a run's configuration is read from.
struct SpecSources {
  std::filesystem::path file;           ///< as the user typed it
  std::optional<ConfigNode> tree = {};  ///< in place of the file: what it would hold, without `include`
  std::vector<std::string> arguments;   ///< KEY=VALUE and +include=FILE, in order
  EnvMap environment;                   ///< HOME and XDG_CONFIG_HOME tell where the user's own files are
  std::filesystem::path
      current_folder;  ///< absolute; paths of the command line and the default run_root start here
  std::filesystem::path
      installed_folder;          ///< the installed configs, the last place to look for includes; empty: none
  SchemaSource schemas_of = {};  ///< without it every program is taken for ddptrain
};

}  // namespace ddp::cli
