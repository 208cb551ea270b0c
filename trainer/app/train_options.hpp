#pragma once

#include <filesystem>
#include <string>

#include "ddp/jobenv/error.hpp"

namespace ddp::trainer {

/// The command line of ddptrain.
struct TrainOptions {
  std::filesystem::path config;
  std::filesystem::path run_dir;  ///< empty: from DDPSUBMIT_RUN_DIR, or none
  enum class Action {
    train,
    check_config,
    show_components,
    probe,
    show_help,
    show_version
  } action = Action::train;
};

/// What `program --help` prints.
[[nodiscard]] std::string usage(const std::string& program);

/// Errors are of ExitCode::usage.
[[nodiscard]] Expected<TrainOptions> parse_train_options(int argc, const char* const* argv);

}  // namespace ddp::trainer
