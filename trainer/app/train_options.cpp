#include "trainer/app/train_options.hpp"

#include <string_view>

namespace ddp::trainer {

std::string usage(const std::string& program) {
  const std::string line = "       " + program;
  return "usage: " + program +
         " --config FILE [--run-dir DIR]   run one rank of the training in section `train:` of FILE; "
         "checkpoints and metrics go into DIR\n" +
         line + " --config FILE --check-config    only check it\n" + line +
         " --components                    print the models, datasets and other components as JSON\n" + line +
         " --probe                         only test the network between the ranks, for `ddpsubmit "
         "doctor`\n" +
         line +
         " --help | --version\n"
         "\n"
         "The job is read from the environment: from DDPSUBMIT_* (set by ddp-agent), else from Slurm's "
         "variables, else from RANK, WORLD_SIZE, … as torchrun sets them; otherwise the job has one rank.\n"
         "Exit codes: 0 done, 1 failed, 2 usage, 3 config, 5 no such file, 9 no valid checkpoint, 75 stopped "
         "on request, 76 another rank has exited.\n";
}

Expected<TrainOptions> parse_train_options(int argc, const char* const* argv) {
  TrainOptions options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const auto value_of = [&](std::filesystem::path& target) -> Expected<void> {
      if (i + 1 == argc) return fail(ExitCode::usage, std::string(argument) + " needs a value");
      target = argv[++i];
      return {};
    };
    Expected<void> taken;
    if (argument == "--config") {
      taken = value_of(options.config);
    } else if (argument == "--run-dir") {
      taken = value_of(options.run_dir);
    } else if (argument == "--check-config") {
      options.action = TrainOptions::Action::check_config;
    } else if (argument == "--components") {
      options.action = TrainOptions::Action::show_components;
      return options;
    } else if (argument == "--probe") {
      options.action = TrainOptions::Action::probe;
      return options;
    } else if (argument == "--help" || argument == "-h") {
      options.action = TrainOptions::Action::show_help;
      return options;
    } else if (argument == "--version") {
      options.action = TrainOptions::Action::show_version;
      return options;
    } else {
      taken = fail(ExitCode::usage, "unknown argument '" + std::string(argument) + "'");
    }
    if (!taken) return tl::unexpected(taken.error());
  }
  if (options.config.empty()) return fail(ExitCode::usage, "--config FILE is missing");
  return options;
}

}  // namespace ddp::trainer
