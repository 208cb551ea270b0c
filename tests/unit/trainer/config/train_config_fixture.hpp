#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "jobenv/config/diagnostic.hpp"
#include "trainer/config/load_train_config.hpp"

namespace ddp::trainer {

/// A file in a folder of its own, removed at the end.
class TrainConfigTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("train-config-" + std::to_string(getpid()) +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  tl::expected<TrainConfig, Errors> load(const std::string& text, int world_size = 2) {
    const auto file = folder_ / "run.yaml";
    std::ofstream(file) << text;
    return load_train_config(file, world_size, "/home/ada");
  }

  TrainConfig good(const std::string& text, int world_size = 2) {
    auto config = load(text, world_size);
    EXPECT_TRUE(config) << render_diagnostics(config ? Errors{} : config.error());
    return config.value_or(TrainConfig{});
  }

  /// The only error, as "LINE MESSAGE"; all of them when there are more.
  std::string error_of(const std::string& text, int world_size = 2) {
    const auto config = load(text, world_size);
    if (config) return "no error";
    if (config.error().size() != 1) return render_diagnostics(config.error());
    const Error& error = config.error().front();
    return (error.where ? std::to_string(error.where->line) + " " : std::string()) + error.message;
  }

  std::filesystem::path folder_;
};

inline const std::string kModel = "  model: {name: mlp}\n";
inline const std::string kData = "  data: {name: fashion_mnist}\n";
inline const std::string kOptimizer = "  optimizer: {name: adam}\n";
inline const std::string kRest = kModel + kData + kOptimizer;

}  // namespace ddp::trainer
