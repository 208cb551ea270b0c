#include "trainer/app/train_options.hpp"

#include <gtest/gtest.h>

namespace ddp::trainer {
namespace {

Expected<TrainOptions> parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "ddptrain");
  return parse_train_options(static_cast<int>(arguments.size()), arguments.data());
}

TEST(TrainOptions, AreRead) {
  const auto options = parse({"--config", "a.yaml", "--run-dir", "runs/x"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->config, "a.yaml");
  EXPECT_EQ(options->run_dir, "runs/x");
  EXPECT_EQ(options->action, TrainOptions::Action::train);
  EXPECT_EQ(parse({"--config", "a.yaml", "--check-config"})->action, TrainOptions::Action::check_config);
  EXPECT_EQ(parse({"--probe"})->action, TrainOptions::Action::probe);
}

TEST(TrainOptions, TheUsageIsThatOfTheProgram) {
  const std::string text = usage("custom_model");
  EXPECT_TRUE(text.starts_with("usage: custom_model --config FILE"));
  EXPECT_EQ(text.find("ddptrain"), std::string::npos);
}

TEST(TrainOptions, HelpNeedsNothingElse) {
  EXPECT_EQ(parse({"--help"})->action, TrainOptions::Action::show_help);
  EXPECT_EQ(parse({"--version"})->action, TrainOptions::Action::show_version);
}

TEST(TrainOptions, WrongOnesAreUsageErrors) {
  for (const auto& arguments :
       std::vector<std::vector<const char*>>{{}, {"--config"}, {"--conf", "a.yaml"}, {"--run-dir", "x"}}) {
    const auto options = parse(arguments);
    ASSERT_FALSE(options);
    EXPECT_EQ(options.error().code, ExitCode::usage);
  }
}

}  // namespace
}  // namespace ddp::trainer
