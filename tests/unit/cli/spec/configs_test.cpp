#include <gtest/gtest.h>

#include <algorithm>

#include "cli/spec/include_path.hpp"
#include "spec_folder.hpp"
#include "tests/support/places.hpp"

namespace ddp::cli {
namespace {

/// The runnable files of configs/; those in its sub-folders are for `include`.
std::vector<std::string> config_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(source_path("configs"))) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path().string());
  }
  std::ranges::sort(files);
  return files;
}

std::vector<std::string> presets() {
  return IncludePath({}, source_path("configs")).presets();
}

std::string problems_of(const std::string& file, std::vector<std::string> arguments) {
  const auto spec = load_run_spec({.file = file,
                                   .arguments = std::move(arguments),
                                   .environment = {},
                                   .current_folder = "/",
                                   .installed_folder = source_path("configs")});
  return spec ? std::string() : render_diagnostics(spec.error());
}

TEST(Configs, EachIsValidOnThisMachineAndOnSlurm) {
  const auto files = config_files();
  EXPECT_GE(files.size(), 3U);
  for (const std::string& file : files) {
    EXPECT_EQ(problems_of(file, {}), "") << file;
    EXPECT_EQ(problems_of(file, {"launcher=slurm"}), "") << file;
    EXPECT_EQ(problems_of(file, {"launcher=slurm", "resources.nodes=2"}), "") << file;
  }
}

TEST(Configs, EachPresetGoesOverEachRunnableOne) {
  for (const std::string& preset : presets()) {
    for (const std::string& file : config_files()) {
      EXPECT_EQ(problems_of(file, {"launcher=slurm", "+include=" + preset}), "") << file << " " << preset;
    }
  }
}

TEST(Configs, EachExampleIsValidInAllItsForms) {
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(source_path("examples"))) {
    if (entry.path().extension() != ".yaml" || entry.path().parent_path().filename() == "custom_model")
      continue;
    EXPECT_EQ(problems_of(entry.path(), {}), "") << entry.path();
    ++files;
  }
  EXPECT_GE(files, 20);
}

TEST(Configs, EachExampleOfATrainingHasThreeForms) {
  for (const auto& folder : std::filesystem::directory_iterator(source_path("examples"))) {
    if (!std::filesystem::exists(folder.path() / "local.yaml")) continue;
    for (const char* form : {"slurm_1_node.yaml", "slurm_2_nodes.yaml"})
      EXPECT_TRUE(std::filesystem::exists(folder.path() / form)) << folder.path() << " " << form;
  }
}

TEST(Configs, TheDemonstrationIsAsDocumented) {
  const auto spec = load_run_spec({.file = source_path("configs/fashion_mnist_mlp.yaml"),
                                   .arguments = {},
                                   .environment = {},
                                   .current_folder = "/",
                                   .installed_folder = {}});
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->launcher, find_launcher("local"));
  EXPECT_EQ(spec->world_size(), 2);
  EXPECT_EQ(spec->train->epochs, 2);
  EXPECT_EQ(spec->train->data.batch_size, 64);
  EXPECT_TRUE(spec->train->data.source.get<bool>("normalize"));
  EXPECT_EQ(spec->train->optimizer.get<double>("learning_rate"), 1e-3);
}

}  // namespace
}  // namespace ddp::cli
