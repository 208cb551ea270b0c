#pragma once

#include <array>

#include "cli/commands/command.hpp"
#include "cli/launch/plan/prepared_run.hpp"
#include "cli/spec/load_run_spec.hpp"
#include "cli/spec/run_spec.hpp"

namespace ddp::cli {

/// The operands of the verbs that read a configuration.
inline constexpr Operand kConfigOperand{"CONFIG", "YAML configuration file", Arity::one,
                                        WordKind::config_file};
inline constexpr Operand kOverridesOperand{
    "KEY=VALUE", "override a value of the file; +include=FILE includes another file", Arity::any,
    WordKind::assignment};

/// The configuration that these operands stand for.
[[nodiscard]] tl::expected<RunSpec, Errors> load_config(const Arguments& arguments, const Context& context);

/// The configuration of a tree that names its run, as if a file in the current folder held it.
[[nodiscard]] tl::expected<RunSpec, Errors> load_config_tree(ConfigNode root, const Context& context);

/// One run: the first point stands for a sweep.
[[nodiscard]] tl::expected<RunSpec, Errors> load_one_run(const Arguments& arguments, const Context& context);

/// What the programs under train.program can be told: they are asked. `context` must outlive the result.
[[nodiscard]] SchemaSource schema_source(const Context& context, const std::filesystem::path& work_dir);

/// Beside the folder of ddpsubmit's executable, as installations have it.
[[nodiscard]] std::filesystem::path installed_configs(const Context& context);

/// One line of talk each.
void say_warnings(const std::vector<std::string>& warnings, Reporter& reporter);

/// Where the run of `spec` would be put when it is started from here.
[[nodiscard]] RunPlace place_of(RunFolder folder, const Context& context);

}  // namespace ddp::cli
