#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/spec/load_run_spec.hpp"
#include "jobenv/config/diagnostic.hpp"

namespace ddp::cli {

/// The shortest file that is whole.
inline const std::string kCommand = "command: [prog]\n";

/// A project folder with a home and installed configs beside it, removed at the end.
class SpecFolder : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    root_ =
        std::filesystem::temp_directory_path() / ("spec-" + std::to_string(getpid()) + "-" + test->name());
    for (const char* folder : {"project", "home/.config/ddpsubmit", "installed"}) {
      std::filesystem::create_directories(root_ / folder);
    }
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void write(const std::string& file, const std::string& text) const {
    std::filesystem::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }

  [[nodiscard]] tl::expected<RunSpec, Errors> load(std::vector<std::string> arguments = {}) const {
    EnvMap environment = environment_;
    environment.set("HOME", (root_ / "home").string());
    return load_run_spec({.file = "run.yaml",
                          .arguments = std::move(arguments),
                          .environment = std::move(environment),
                          .current_folder = root_ / "project",
                          .installed_folder = root_ / "installed"});
  }

  /// The spec of run.yaml with this text.
  [[nodiscard]] RunSpec good(const std::string& text, std::vector<std::string> arguments = {}) const {
    write("project/run.yaml", text);
    auto spec = load(std::move(arguments));
    EXPECT_TRUE(spec) << render_diagnostics(spec ? Errors{} : spec.error());
    return spec.value_or(RunSpec{});
  }

  /// What a person reads about run.yaml with this text.
  [[nodiscard]] std::string diagnose(const std::string& text, std::vector<std::string> arguments = {}) const {
    write("project/run.yaml", text);
    const auto spec = load(std::move(arguments));
    return spec ? "no error" : render_diagnostics(spec.error());
  }

  /// The only error, as "LINE MESSAGE"; all of them when there are more.
  [[nodiscard]] std::string error_of(const std::string& text, std::vector<std::string> arguments = {}) const {
    write("project/run.yaml", text);
    const auto spec = load(std::move(arguments));
    if (spec) return "no error";
    if (spec.error().size() != 1) return render_diagnostics(spec.error());
    const Error& error = spec.error().front();
    return (error.where ? std::to_string(error.where->line) + " " : std::string()) + error.message;
  }

  /// The messages of all errors, in their order.
  [[nodiscard]] std::vector<std::string> messages_of(const std::string& text) const {
    write("project/run.yaml", text);
    const auto spec = load();
    std::vector<std::string> messages;
    for (const Error& error : spec ? Errors{} : spec.error()) messages.push_back(error.message);
    return messages;
  }

  std::filesystem::path root_;
  EnvMap environment_;  ///< of the submitter, besides HOME
};

}  // namespace ddp::cli
